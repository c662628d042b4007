"""The columns of FOCUS 1.2 that a dataset must have, and the rest that it may have.

Source: specification/columns of FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec at its tag v1.2.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CUSTOM", "MANDATORY", "OTHER", "FocusColumn"]


@dataclass(frozen=True, slots=True)
class FocusColumn:
    """kind: text, decimal, time or currency. allowed: the only values, where the specification names them."""

    name: str
    kind: str = "text"
    null: bool = False
    allowed: tuple[str, ...] = ()


SERVICE_CATEGORIES = (
    "AI and Machine Learning", "Analytics", "Business Applications", "Compute", "Databases", "Developer Tools",
    "Multicloud", "Identity", "Integration", "Internet of Things", "Management and Governance", "Media", "Migration",
    "Mobile", "Networking", "Security", "Storage", "Web", "Other",
)  # fmt: skip

MANDATORY = (
    FocusColumn("BilledCost", "decimal"),
    FocusColumn("BillingAccountId"),
    FocusColumn("BillingAccountName", null=True),
    FocusColumn("BillingCurrency", "currency"),
    FocusColumn("BillingPeriodEnd", "time"),
    FocusColumn("BillingPeriodStart", "time"),
    FocusColumn("ChargeCategory", allowed=("Usage", "Purchase", "Tax", "Credit", "Adjustment")),
    FocusColumn("ChargeClass", null=True, allowed=("Correction",)),
    FocusColumn("ChargeDescription", null=True),
    FocusColumn("ChargePeriodEnd", "time"),
    FocusColumn("ChargePeriodStart", "time"),
    FocusColumn("ContractedCost", "decimal"),
    FocusColumn("EffectiveCost", "decimal"),
    FocusColumn("InvoiceIssuerName"),
    FocusColumn("ListCost", "decimal"),
    FocusColumn("PricingQuantity", "decimal", null=True),
    FocusColumn("PricingUnit", null=True),
    FocusColumn("ProviderName"),
    FocusColumn("PublisherName"),
    FocusColumn("ServiceCategory", allowed=SERVICE_CATEGORIES),
    FocusColumn("ServiceName"),
)

OTHER = frozenset(
    [
        "AvailabilityZone",
        "BillingAccountType",
        "CapacityReservationId",
        "CapacityReservationStatus",
        "ChargeFrequency",
        "CommitmentDiscountCategory",
        "CommitmentDiscountId",
        "CommitmentDiscountName",
        "CommitmentDiscountQuantity",
        "CommitmentDiscountStatus",
        "CommitmentDiscountType",
        "CommitmentDiscountUnit",
        "ConsumedQuantity",
        "ConsumedUnit",
        "ContractedUnitPrice",
        "InvoiceId",
        "ListUnitPrice",
        "PricingCategory",
        "PricingCurrency",
        "PricingCurrencyContractedUnitPrice",
        "PricingCurrencyEffectiveCost",
        "PricingCurrencyListUnitPrice",
        "RegionId",
        "RegionName",
        "ResourceId",
        "ResourceName",
        "ResourceType",
        "ServiceSubcategory",
        "SkuId",
        "SkuMeter",
        "SkuPriceDetails",
        "SkuPriceId",
        "SubAccountId",
        "SubAccountName",
        "SubAccountType",
        "Tags",
    ]
)
"""Conditional and recommended columns: they may be there."""

CUSTOM = (
    "x_Scenario",
    "x_Part",
    "x_EnergyKwh",
    "x_Frames",
    "x_LatencyMs",
    "x_Provenance",
    "x_EffectiveCostLow",
    "x_EffectiveCostHigh",
)
"""Ours: energy and frames of the charge's period, time of a frame, where the figures come from, their 95 % interval.

Energy stands in the rows of energy and frames in those of amortised capital, so that their sums count them once.
"""
