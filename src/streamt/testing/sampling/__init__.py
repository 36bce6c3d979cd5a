"""Reading and judging a sample in a process of its own, which may die or be killed without taking the run with it."""
