import CLinux
import CommandLineTool
import Glibc

/// Which of the machine's processors a process runs on.
enum Processors {
    /// How many there are.
    static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Holds every thread of this process, and all that they start from now on, to one processor.
    ///
    /// - Parameter number: from 0.
    /// - Throws: where there is no such processor.
    static func use(only number: Int32) throws(CommandFailure) {
        guard clinux_use_processor(number) == 0 else {
            throw .failed("processor \(number) cannot be used: \(Output.systemText(errno))")
        }
    }
}
