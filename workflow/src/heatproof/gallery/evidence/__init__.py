"""What lies behind each cell of a figure: values, scores and the lines of the logs."""
