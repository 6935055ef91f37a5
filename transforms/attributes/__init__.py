"""What a sentence states, attribute by attribute, and how a premise differs from it: plain rules, no model."""

from transforms.attributes.comparing import compare
from transforms.attributes.extracting import extract
from transforms.attributes.record import Attribute, Comparison, Difference

__all__ = ["Attribute", "Comparison", "Difference", "compare", "extract"]
