"""The bundled checker: weights, tokenizer, thresholds and model card, as package data."""
