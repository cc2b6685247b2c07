import CLinux
import CommandLineTool
import Glibc

/// Binds a process to one of the machine's processors.
enum Processors {
    static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Binds every thread of this process, later ones included, to one processor.
    ///
    /// - Parameter number: From 0.
    static func use(only number: Int32) throws(CommandError) {
        guard clinux_use_processor(number) == 0 else {
            throw .failed("processor \(number) cannot be used: \(Output.systemText(errno))")
        }
    }
}
