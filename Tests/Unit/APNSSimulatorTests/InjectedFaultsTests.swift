import APNS
import Testing

@testable import APNSSimulator

/// Selection of faulty requests, without a connection, a clock or the system's random numbers.
struct InjectedFaultsTests {
    private let topic: Topic

    init() throws { topic = try Topic("com.example.chat") }

    private func draw(_ faults: inout InjectedFaults, _ count: Int, device: Int = 1) -> [InjectedFault?] {
        (0..<count).map { _ in faults.next(device: device, topic: topic) }
    }

    @Test func `without rules and chance everything goes well`() {
        var faults = InjectedFaults(seed: 1)
        #expect(draw(&faults, 1_000).allSatisfy { $0 == nil })
    }

    @Test func `the same seed makes the same pushes go wrong in the same way`() {
        var (one, other) = (InjectedFaults(seed: 42, percent: 30), InjectedFaults(seed: 42, percent: 30))
        let drawn = draw(&one, 1_000)
        #expect(drawn == draw(&other, 1_000))
        #expect(drawn.contains { $0 != nil } && drawn.contains { $0 == nil })
    }

    @Test func `another seed makes others go wrong`() {
        var (one, other) = (InjectedFaults(seed: 42, percent: 30), InjectedFaults(seed: 43, percent: 30))
        #expect(draw(&one, 1_000) != draw(&other, 1_000))
    }

    @Test(arguments: [0, 10, 50, 100])
    func `about as many go wrong as were asked for`(_ percent: Int) {
        var faults = InjectedFaults(seed: 7, percent: percent)
        let count = draw(&faults, 10_000).count { $0 != nil }
        // A fixed seed: this holds always or never.
        #expect(abs(count - percent * 100) <= (percent % 100 == 0 ? 0 : 200), "\(count)")
    }

    @Test func `chance makes every fault there is`() {
        var faults = InjectedFaults(seed: 7, percent: 100)
        let names = Set(draw(&faults, 10_000).compactMap { $0?.name })
        #expect(names == Set(InjectedFault.names))
    }

    @Test func `a rule more shifts nothing for the pushes that it does not claim`() throws {
        var plain = InjectedFaults(seed: 5, percent: 20)
        var ruled = plain
        ruled.add(try InjectionRule(text: "dropped,device=2"))
        var (drawn, drawnRuled) = ([InjectedFault?](), [InjectedFault?]())
        for number in 0..<1_000 {
            let device = number % 3 == 0 ? 2 : 1
            let (one, other) = (plain.next(device: device, topic: topic), ruled.next(device: device, topic: topic))
            guard device == 1 else {
                #expect(other == .dropped)
                continue
            }
            drawn.append(one)
            drawnRuled.append(other)
        }
        #expect(drawn == drawnRuled)
    }

    @Test func `a rule claims its device and its topic only`() throws {
        var faults = InjectedFaults(seed: 1)
        faults.add(try InjectionRule(text: "dropped,device=2,topic=com.example.chat"))
        #expect(faults.next(device: 1, topic: topic) == nil)
        #expect(faults.next(device: 2, topic: try Topic("com.example.other")) == nil)
        #expect(faults.next(device: 2, topic: topic) == .dropped)
    }

    @Test func `a rule lets the first ones pass and is used up after its count`() throws {
        var faults = InjectedFaults(seed: 1)
        faults.add(try InjectionRule(text: "dropped,after=3,count=2"))
        #expect(draw(&faults, 7) == [nil, nil, nil, .dropped, .dropped, nil, nil])
        #expect(faults.entries[0].matchCount == 7 && faults.entries[0].faultCount == 2)
    }

    @Test func `the first rule that claims a push decides`() throws {
        var faults = InjectedFaults(seed: 1)
        faults.add(try InjectionRule(text: "dropped,count=1"))
        faults.add(try InjectionRule(text: "duplicated"))
        #expect(draw(&faults, 3) == [.dropped, .duplicated, .duplicated])
        // The first request did not reach it.
        #expect(faults.entries[1].matchCount == 2)
    }

    @Test func `a rule of some per cent claims about as many`() throws {
        var faults = InjectedFaults(seed: 11)
        faults.add(try InjectionRule(text: "dropped,percent=25"))
        let count = draw(&faults, 10_000).count { $0 != nil }
        #expect((2_300...2_700).contains(count), "\(count)")
    }

    @Test func `rules are removed by their id, which is never given again`() throws {
        var faults = InjectedFaults(seed: 1, percent: 5)
        let first = try #require(faults.add(try InjectionRule(text: "dropped")))
        let second = try #require(faults.add(try InjectionRule(text: "duplicated")))
        #expect(faults.remove(id: first) && !faults.remove(id: first))
        #expect(faults.entries.map(\.id) == [second])
        faults.removeAll()
        #expect(faults.entries.isEmpty && faults.percent == 0)
        #expect(faults.add(try InjectionRule(text: "dropped")) == 3)
    }

    @Test func `rules have a maximum`() throws {
        var faults = InjectedFaults(seed: 1)
        let rule = try InjectionRule(text: "dropped,device=9")
        for _ in 0..<InjectedFaults.entryCountMax { #expect(faults.add(rule) != nil) }
        #expect(faults.add(rule) == nil)
    }
}
