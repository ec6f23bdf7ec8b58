.PHONY: setup test bench

setup:
	$(or $(PYTHON),python3) -E -m tools.boot setup

test:
	./test

# Rates of both engines, of SimPy, and of C++ where there is a g++, on the same workload in the same run; some minutes.
bench: setup
	.venv/bin/ringcast bench engine
