"""The push service as a process, with the simulator as APNs. Standard library only."""
