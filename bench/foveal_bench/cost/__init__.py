"""What a frame costs: prices, fleets, total cost of ownership."""
