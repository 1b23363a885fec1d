"""What a harness printed beside its logs, compared with what is counted of them."""
