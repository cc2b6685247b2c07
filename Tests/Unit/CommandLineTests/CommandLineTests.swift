import Testing

/// The built program, run as a process. One after the other: every test waits for processes that share two cores.
@Suite(.serialized)
enum CommandLineTests {}
