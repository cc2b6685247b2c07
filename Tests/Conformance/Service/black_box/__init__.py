"""The push service as a process, with the simulator in Apple's place. Standard library only."""
