.PHONY: setup test bench

setup:
	$(or $(PYTHON),python3) -E -m tools.boot setup

test:
	./test

# Rates of the engine, and of SimPy on the same workload in the same run.
bench: setup
	.venv/bin/ringcast bench
