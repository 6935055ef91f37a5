"""Units as a writer names them, turned into base units by pint, which is loaded when the first unit is met."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from transforms.attributes.lists import word_table
from transforms.vocabulary import vocabulary

# Calendar units have no fixed length and imperial ones are mostly written rounded: against other units they agree within this.
CONVERSION_TOLERANCE = 0.02


class Unit(NamedTuple):
    """A unit by its base unit, in which an amount is value * factor + offset; `system` is metric, calendar or imperial."""

    base: str
    factor: float
    offset: float
    system: str


# Words in lower case. Left out: words that mostly mean something else (second as an ordinal is read before, point, degree of).
_WORDS = word_table("""
    millisecond: millisecond milliseconds msec
    second: second seconds sec secs
    minute: minute minutes min mins
    hour: hour hours hr hrs
    day: day days night nights
    week: week weeks wk wks
    fortnight: fortnight fortnights
    month: month months
    quarter_year: quarters
    year: year years yr yrs
    decade_time: decade decades
    century: century centuries
    bit: bit bits
    byte: byte bytes
    kilobyte: kilobyte kilobytes
    megabyte: megabyte megabytes
    gigabyte: gigabyte gigabytes
    terabyte: terabyte terabytes
    petabyte: petabyte petabytes
    nanometer: nanometre nanometres nanometer nanometers
    micrometer: micron microns micrometre micrometres micrometer micrometers
    millimeter: millimetre millimetres millimeter millimeters
    centimeter: centimetre centimetres centimeter centimeters
    meter: metre metres meter meters
    kilometer: kilometre kilometres kilometer kilometers
    inch: inch inches
    foot: foot feet ft
    yard: yard yards
    mile: mile miles
    microgram: microgram micrograms mcg
    milligram: milligram milligrams milligramme milligrammes
    gram: gram grams gramme grammes
    kilogram: kilogram kilograms kilo kilos
    metric_ton: tonne tonnes
    pound: pound pounds lb lbs
    ounce: ounce ounces oz
    ton: ton tons
    milliliter: millilitre millilitres milliliter milliliters
    centiliter: centilitre centilitres
    liter: litre litres liter liters
    gallon: gallon gallons
    acre: acre acres
    hectare: hectare hectares
    watt: watt watts
    kilowatt: kilowatt kilowatts
    megawatt: megawatt megawatts
    gigawatt: gigawatt gigawatts
    volt: volt volts
    ampere: ampere amperes amp amps
    ohm: ohm ohms
    joule: joule joules
    calorie: calorie calories
    kilocalorie: kilocalorie kilocalories kcal
    hertz: hertz
    pascal: pascal pascals
    bar: bar
    newton: newton newtons
    degree: degree degrees
    decibel_level: decibel decibels
    lumen: lumen lumens
    pixel: pixel pixels megapixel
    revolutions_per_minute: rpm
    mile/hour: mph
    international_unit: iu
""")
# Symbols count only behind a numeral, and in this spelling.
_SYMBOLS = word_table("""
    millisecond: ms
    microsecond: µs μs
    nanosecond: ns
    second: s
    hour: h
    kilobyte: KB kB
    megabyte: MB
    gigabyte: GB
    terabyte: TB
    petabyte: PB
    kibibyte: KiB
    mebibyte: MiB
    gibibyte: GiB
    tebibyte: TiB
    kilobit: kbit Kbit
    megabit: Mbit Mb
    gigabit: Gbit Gb
    kilobit/second: kbps Kbps
    megabit/second: Mbps
    gigabit/second: Gbps
    nanometer: nm
    micrometer: µm μm
    millimeter: mm
    centimeter: cm
    meter: m
    kilometer: km
    microgram: µg μg
    milligram: mg
    gram: g
    kilogram: kg
    metric_ton: t
    milliliter: ml mL
    centiliter: cl
    deciliter: dl dL
    liter: l L
    milliwatt: mW
    watt: W
    kilowatt: kW
    megawatt: MW
    gigawatt: GW
    watt_hour: Wh
    kilowatt_hour: kWh
    megawatt_hour: MWh
    millivolt: mV
    volt: V
    kilovolt: kV
    milliampere: mA
    ampere: A
    milliampere_hour: mAh
    joule: J
    kilojoule: kJ
    hertz: Hz
    kilohertz: kHz
    megahertz: MHz
    gigahertz: GHz
    hectopascal: hPa
    kilopascal: kPa
    millimeter_Hg: mmHg
    pound_force_per_square_inch: psi
    decibel_level: dB
    lumen: lm
    pixel: px
    international_unit: IU
    parts_per_million: ppm
""")
TIME_WORDS = frozenset(
    word for word, name in _WORDS.items() if name in {"day", "week", "month", "year", "hour", "minute", "fortnight"}
)
_CALENDAR = frozenset({"month", "quarter_year", "year", "decade_time", "century"})
_IMPERIAL = vocabulary("inch foot yard mile pound ounce ton gallon acre mile/hour degree_Fahrenheit")


def unit_named(word: str, behind_numeral: bool) -> str | None:
    """The unit that a word names; a symbol only behind a numeral.

    >>> unit_named("Hours", False), unit_named("kW", True), unit_named("kW", False), unit_named("seat", True)
    ('hour', 'kilowatt', None, None)
    """
    return (_SYMBOLS.get(word) if behind_numeral else None) or _WORDS.get(word.lower())


@cache
def _registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry()
    for line in (
        "quarter_year = 3 * month",
        "decade_time = 10 * year",
        "decibel_level = [sound_level]",
        "international_unit = [biological_activity]",
        "parts_per_million = 1e-6",
    ):
        registry.define(line)
    return registry


@cache
def unit(name: str) -> Unit:
    """Look a unit up, by its pint name or a quotient of two.

    >>> unit("day"), unit("kilowatt").factor
    (Unit(base='second', factor=86400.0, offset=0.0, system='metric'), 1000.0)
    """
    registry = _registry()
    if name == "degree":  # Of an angle or of an unnamed scale of temperature: comparable with itself alone.
        return Unit("degree", 1.0, 0.0, "metric")
    zero = registry.Quantity(0, registry.parse_units(name)).to_base_units()
    one = registry.Quantity(1, registry.parse_units(name)).to_base_units()
    offset = float(zero.magnitude) if name.startswith("degree_") else 0.0
    system = "calendar" if name in _CALENDAR else "imperial" if name in _IMPERIAL else "metric"
    return Unit(str(one.units), float(one.magnitude) - offset, offset, system)
