import Foundation
import TestSupport

struct Counterexample: CustomStringConvertible {
    let schedule: [Step]
    let violation: Violation
    /// Seed of the random schedule that it comes from.
    var seed: UInt64?

    /// Steps as Swift source, ready for a schedule in a test.
    var description: String {
        let steps = schedule.map { step in
            "\(step)".replacing(/(?:PromiseModelTests\.Step|Envelope)\.\w+(\.|(?=\())/, with: { $0.output.1 })
        }
        let origin = seed.map { "SEALEDPUSH_SEEDS=\($0): " } ?? ""
        return origin + "\(violation)\n" + steps.map { "    .\($0),\n" }.joined()
    }
}

struct Search {
    let stage: Stage

    init(_ stage: Stage) { self.stage = stage }

    mutating func run(_ schedule: [Step]) throws -> Violation? { try run(schedule, from: try stage.world()).violation }

    /// Runs from an earlier world. The image is of its disk; nil for the present one.
    mutating func run(
        _ schedule: [Step],
        from world: World,
        _ image: ModelFolder.Image? = nil
    ) throws -> (world: World, violation: Violation?) {
        if let image { try stage.put(world, image) }
        var world = world
        for step in schedule {
            if let violation = try world.perform(step) { return (world, violation) }
        }
        return (world, nil)
    }

    /// Runs all schedules of at most so many steps, the shortest first.
    mutating func all(of steps: [Step], length: Int) throws -> Counterexample? {
        for length in 1...length {
            if let found = try deepen(try stage.world(), steps, [], length) { return found }
        }
        return nil
    }

    private mutating func deepen(
        _ world: World,
        _ steps: [Step],
        _ schedule: [Step],
        _ length: Int
    ) throws -> Counterexample? {
        let image = try stage.phone.folder.image()
        for step in steps {
            try stage.put(world, image)
            var next = world
            if let violation = try next.perform(step) {
                return Counterexample(schedule: schedule + [step], violation: violation)
            }
            guard schedule.count + 1 < length else { continue }
            if let found = try deepen(next, steps, schedule + [step], length) { return found }
        }
        return nil
    }

    /// Runs random schedules; the first that breaks a promise is shrunk.
    mutating func random(_ count: Int, of steps: [Step], length: Int, seed: UInt64) throws -> Counterexample? {
        for run in 0..<count {
            var random = SeededRandom(seed: seed &+ UInt64(run))
            let schedule = (0..<length).compactMap { _ in steps.randomElement(using: &random) }
            guard try self.run(schedule) != nil else { continue }
            var found = try shrunk(schedule)
            found?.seed = seed &+ UInt64(run)
            return found
        }
        return nil
    }

    /// Drops steps while some promise breaks: halves first, then ever fewer at a time.
    mutating func shrunk(_ schedule: [Step]) throws -> Counterexample? {
        guard var violation = try run(schedule) else { return nil }
        var schedule = schedule
        var size = max(1, schedule.count / 2)
        while true {
            var hasChanged = false
            var start = 0
            while start < schedule.count {
                var shorter = schedule
                shorter.removeSubrange(start..<min(start + size, shorter.count))
                if let found = try run(shorter) {
                    (schedule, violation, hasChanged) = (shorter, found, true)
                } else {
                    start += size
                }
            }
            if size == 1, !hasChanged { return Counterexample(schedule: schedule, violation: violation) }
            size = max(1, size / 2)
        }
    }
}
