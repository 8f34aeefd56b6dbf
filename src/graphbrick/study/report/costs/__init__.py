"""What questions cost: time, calls and tokens by group, and memory by stage."""
