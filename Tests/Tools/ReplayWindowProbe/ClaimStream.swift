import Envelope
import Opening
import TestSupport

/// Claims ids from `start` on, for two senders in turn, commits every other one, until killed. Prints `claimed N` or
/// `done N` after the window's answer: every printed line must hold for ever.
struct ClaimStream {
    let folder: String
    let start: UInt64

    func run() throws(ReplayWindowError) {
        var random = SeededRandom(seed: start)
        let window = try ReplayWindow(folder: folder, ifMissing: .refuse, random: &random)
        let senders = [ProbeMessages.sender(1), ProbeMessages.sender(2)]
        var id = start
        while true {
            let stamp = ProbeMessages.stamp(id, from: senders[Int(id % 2)])
            guard case .new(let claim) = try window.claim(stamp) else {
                ProbeOutput.write("wrong \(id)\n")
                return
            }
            ProbeOutput.write("claimed \(id)\n")
            if id % 4 < 2 {
                try window.commit(claim)
                ProbeOutput.write("done \(id)\n")
            }
            id += 1
        }
    }
}
