"""What a row is: each table's record type, Arrow schema, column documentation and contract come from one declaration."""
