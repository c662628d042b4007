"""The price book: every row has a source, the newest wins, an old one is told, nonsense is refused by name."""

from datetime import date
from decimal import Decimal
from importlib.resources import files

import pytest
from foveal.errors import FovealError
from foveal_bench.cost.book import add_prices, load_book
from foveal_bench.cost.caveats import caveats, caveats_of_row
from foveal_bench.cost.comparison import compare
from foveal_bench.cost.fleet import load_fleet
from foveal_bench.cost.tco import Service

TEXT = files("foveal_bench.cost").joinpath("prices.yaml").read_text()
BOOK = load_book()
LAUNCH = 'price: "4395", currency: USD, region: any, spread'
TODAY = date(2026, 1, 15)
CARDS = (
    "RTX A6000", "RTX 6000 Ada", "L40S", "A100 80GB PCIe", "H100 80GB PCIe", "H100 SXM", "MI300X", "U280", "U55C",
)  # fmt: skip


@pytest.fixture
def own(tmp_path):
    def write(text):
        path = tmp_path / "own.yaml"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("sku", CARDS)
def test_every_card_has_power_and_price(sku):
    assert BOOK.price(sku).figure.value > 0
    card = BOOK.card(sku)
    assert 0 < card.idle_w.value < card.max_w.value


def test_an_a100_costs_what_the_newest_row_says():
    assert BOOK.price("A100 80GB PCIe").figure.value == 16339


def test_age_starts_to_matter_the_day_after_the_limit():
    row = BOOK.price("L40S")
    assert row.figure.date == date(2025, 3, 1)
    assert row.old(date(2026, 3, 1), 365) is None
    assert "366 days old" in row.old(date(2026, 3, 2), 365)
    assert "after today" in row.old(date(2025, 1, 1), 365)


def test_a_recalled_price_of_a_discontinued_card_says_all_three():
    (line,) = caveats_of_row(BOOK.price("U280"), BOOK, TODAY)
    assert "recalled" in line
    assert "no date" in line
    assert "end of life" in line


def test_an_assumption_is_a_choice_and_does_not_age():
    assert BOOK.price("operations", "staff").old(date(2040, 1, 1), 365) is None


def test_another_currency_is_converted_with_its_rate_and_says_so(own):
    rest = "currency: EUR, region: DE, basis: quoted, date: 2026-01-02, source: shop}\n"
    card = f'  - {{sku: L40S, kind: purchase, price: "8000", {rest}'
    power = f'  - {{sku: electricity, kind: energy, price: "0.25", {rest}'
    book = load_book(own(TEXT + card + power))
    gpu = load_fleet("gpu.yaml")
    comparison = compare(book, gpu, gpu, Service(Decimal(30), None), region="DE")
    figure = comparison.inputs.figures["price.L40S"]
    assert figure.value == Decimal("8800.00")
    assert "8000 EUR at 1.10" in figure.source
    assert compare(BOOK, gpu, gpu, Service(Decimal(30), None)).inputs.figures["price.L40S"].value == 8500
    assert any(line.startswith("EUR") for line in caveats(comparison.inputs, book, date(2030, 1, 1)))


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (LAUNCH, LAUNCH.replace("4395", "N/A"), "U55C"),
        (LAUNCH, LAUNCH.replace("4395", "-1"), "U55C"),
        ('price: "8500"', 'price: "8,500"', "L40S"),
        ('price: "8500"', "price: true", "L40S"),
        ('price: "8500"', 'price: "NaN"', "L40S"),
        ('price: "8500", currency: USD', 'price: "8500", currency: usd', "currency code"),
        ('price: "8500", currency: USD', 'price: "8500", currency: CHF', "no rate for CHF"),
        ("sku: L40S, kind: purchase", "sku: L40S, kind: gift", "kind is none of"),
        ("  pue:", "  pux:", "pue"),
        ('pue: {value: "1.56"', 'pue: {value: "0.9"', "pue"),
        ('maintenance_share: {value: "0.03"', 'maintenance_share: {value: "3"', "maintenance_share"),
        ('depreciation_years: {value: "4"', 'depreciation_years: {value: "0"', "depreciation_years"),
        ('spread: ["7000", "10000"]', 'spread: ["9000", "10000"]', "L40S"),
        ('spread: ["7000", "10000"]', 'spread: {distribution: normal, mean: 1, sd: 1}', "L40S"),
        ('basis: quoted, date: 2024-07-01', "basis: heard, date: 2024-07-01", "basis"),
        ("max_age_days: 365", "max_age_days: a year", "max_age_days"),
        ("max_age_days: 365", "max_age_days: 365\nmax_age_days: 30", "there twice"),
        ("device: fpga, max_w", "device: asic, max_w", "gpu or fpga"),
        ('sku: MI300X, device: gpu, max_w: "750"', 'sku: MI300X, device: gpu, max_w: "7.5"', "idle_w"),
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_file_and_entry(own, old, new, named):
    assert old in TEXT
    with pytest.raises(FovealError, match=r"own\.yaml") as refused:
        load_book(own(TEXT.replace(old, new)))
    assert named in str(refused.value)


@pytest.mark.parametrize("text", ["cards: [", "", "[]", "currency: USD"])
def test_a_file_that_is_no_book_is_refused(own, text):
    with pytest.raises(FovealError, match=r"own\.yaml"):
        load_book(own(text))


def test_a_price_that_is_there_twice_is_refused(own):
    line = next(line for line in TEXT.splitlines() if "sku: L40S, kind: purchase" in line)
    with pytest.raises(FovealError, match="twice"):
        load_book(own(f"{TEXT}{line}\n"))


def test_a_price_of_the_region_wins_over_one_for_anywhere_and_another_region_s_is_not_taken(own):
    line = next(line for line in TEXT.splitlines() if "sku: L40S, kind: purchase" in line)
    book = load_book(own(f"{TEXT}{line.replace('region: any', 'region: JP').replace('8500', '9000')}\n"))
    assert book.price("L40S").figure.value == 8500
    assert book.price("L40S", region="JP").figure.value == 9000
    assert book.price("L40S", region="US").figure.value == 8500
    with pytest.raises(FovealError, match="in US, but none in JP"):
        book.price("electricity", "energy", region="JP")


def test_a_region_called_no_is_a_region(own):
    line = next(line for line in TEXT.splitlines() if "sku: L40S, kind: purchase" in line)
    book = load_book(own(f"{TEXT}{line.replace('region: any', 'region: NO').replace('8500', '9100')}\n"))
    assert book.price("L40S", region="NO").figure.value == 9100


def test_a_card_or_price_that_is_not_there_lists_what_is():
    with pytest.raises(FovealError, match="L40S"):
        BOOK.price("GTX 280")
    with pytest.raises(FovealError, match="U55C"):
        BOOK.card("U250")


def test_adding_a_price_keeps_comments_order_and_the_rest(own):
    path = own(TEXT + "# the end\n")
    row = {"sku": "L40S", "kind": "purchase", "price": "7900", "currency": "EUR", "region": "DE"}
    (added,) = add_prices(path, [row | {"basis": "quoted", "date": "2026-01-02", "source": "invoice: 4711, net"}])
    assert added.figure.value == 7900
    assert added.figure.source == "invoice: 4711, net"
    lines = path.read_text().splitlines()
    assert [line for line in lines if line not in TEXT.splitlines()] == [lines[-2], "# the end"]
    assert load_book(path).price("L40S", region="DE").figure.value == 7900


def test_a_price_that_would_spoil_the_book_is_not_written(own):
    path = own(TEXT)
    row = {"sku": "L40S", "kind": "purchase", "price": "7,900", "currency": "EUR", "region": "DE"}
    with pytest.raises(FovealError, match="7,900"):
        add_prices(path, [row | {"basis": "quoted", "date": "2026-01-02", "source": "invoice"}])
    assert path.read_text() == TEXT
