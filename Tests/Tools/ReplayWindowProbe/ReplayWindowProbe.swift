import Envelope
import Opening
import Platform
import Primitives

/// Another process at the same window, for tests that run several and for measurements.
///
///     ReplayWindowProbe create FOLDER            makes a window, prints its id
///     ReplayWindowProbe race FOLDER SEED COUNT   4 threads claim the same ids; prints each one's answers
///     ReplayWindowProbe open FOLDER SEED NUMBER  opens each message of the test's when process 0 and 1 are both there
///     ReplayWindowProbe knows FOLDER             prints whether it takes the bound on time for the time, without a boot id
///     ReplayWindowProbe stream FOLDER START      claims and commits until it is killed, prints each when it is certain
///     ReplayWindowProbe bench FOLDER             times checks of a full window with eviction going on
@main
enum ReplayWindowProbe {
    static func main() {
        do throws(ProbeFailure) {
            try run(CommandLine.arguments.dropFirst().map { $0 })
        } catch {
            ProbeOutput.write(error.text + "\n")
            ProbeOutput.exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws(ProbeFailure) {
        var words = arguments
        guard words.count >= 2 else { throw ProbeFailure(text: "usage") }
        let (command, folder) = (words.removeFirst(), words.removeFirst())
        let numbers = words.compactMap { UInt64($0) }
        if command == "open", numbers.count == 2 {
            return try OpeningRace(folder: folder, seed: numbers[0], number: numbers[1]).run()
        }
        do throws(ReplayWindowError) {
            switch (command, numbers.count) {
            case ("create", 0): try create(folder)
            case ("race", 2): try ClaimRace(folder: folder, seed: numbers[0], count: Int(numbers[1])).run()
            case ("knows", 0): try knows(folder)
            case ("stream", 1): try ClaimStream(folder: folder, start: numbers[0]).run()
            case ("bench", 0): try ReplayWindowBench(folder: folder).run { ProbeOutput.write($0 + "\n") }
            default: ProbeOutput.write("usage\n")
            }
        } catch {
            throw ProbeFailure(text: "failed: \(error)")
        }
    }

    private static func create(_ folder: String) throws(ReplayWindowError) {
        var random = SystemRandom()
        let window = try ReplayWindow(folder: folder, ifMissing: .create, random: &random)
        let id = window.store.id.map { String($0) }.joined(separator: ".")
        ProbeOutput.write("id \(id)\n")
    }

    private static func knows(_ folder: String) throws(ReplayWindowError) {
        let window = try ReplayWindow(folder: folder) { Uptime(milliseconds: Uptime.now.milliseconds, boot: 0) }
        let time = try window.time()
        ProbeOutput.write("\(time.isConfirmed) \(time.lowerBound.milliseconds)\n")
    }
}

struct ProbeFailure: Error {
    let text: String
}
