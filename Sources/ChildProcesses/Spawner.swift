import CLinux
import Glibc
import Platform

/// Starts child processes on a permanent thread: the system ends such a child with its thread, and tasks' threads come
/// and go.
enum Spawner {
    private typealias Job = @Sendable () -> Void

    private static let jobs: Monitored<[Job]> = {
        let jobs = Monitored([Job]())
        let hasStarted = DetachedThread.start(stackByteCount: 256 << 10) {
            while true { jobs.wait { $0.isEmpty ? nil : $0.removeFirst() }() }
        }
        precondition(hasStarted, "no thread could be started")
        return jobs
    }()

    /// - Parameter processor: pins the process; nil for none.
    /// - Returns: on failure -1 and the system's error.
    static func spawn(
        _ program: String,
        _ words: [String],
        output: Int32,
        processor: Int32?
    ) -> (id: pid_t, code: Int32) {
        let answer = Monitored<(id: pid_t, code: Int32)?>(nil)
        jobs.change { jobs in
            jobs.append {
                var words = unsafe words.map { unsafe strdup($0) } + [nil]
                let id = unsafe clinux_spawn(program, &words, output, processor ?? -1)
                let code = errno
                unsafe words.forEach { unsafe free($0) }
                answer.change { $0 = (id, code) }
            }
        }
        // As long as a fork takes.
        return answer.wait { $0 }
    }
}
