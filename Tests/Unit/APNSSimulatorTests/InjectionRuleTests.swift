import APNS
import Testing

@testable import APNSSimulator

struct InjectionRuleTests {
    @Test(arguments: [
        "rejected,reason=TooManyRequests", "rejected,reason=InternalServerError,percent=10",
        "slow,milliseconds=500,device=2", "silence,processed=yes", "reset,code=8,processed=no",
        "go-away,code=0,last-stream=received,processed=no",
        "go-away,code=2,last-stream=processed,reason=Shutdown,processed=yes", "connection-reset,processed=no",
        "cut,processed=yes", "close,processed=no", "deaf,milliseconds=100,processed=yes", "dropped,after=3,count=2",
        "duplicated,topic=com.example.chat.voip",
    ])
    func `a rule that is written and read again is the same`(_ text: String) throws {
        let rule = try InjectionRule(text: text)
        #expect(try InjectionRule(fields: rule.fields) == rule)
        let written = rule.fields.map { $0.name == "fault" ? $0.text : "\($0.name)=\($0.text)" }
        #expect(Set(written) == Set(text.split(separator: ",").map(String.init)))
    }

    @Test func `every fault that is named can be written`() throws {
        let needs = ["rejected": ",reason=Shutdown", "slow": ",milliseconds=1", "deaf": ",milliseconds=1"]
        for name in InjectedFault.names {
            #expect(try InjectionRule(text: name + (needs[name] ?? "")).fault.name == name)
        }
    }

    @Test(arguments: Reason.allCases)
    func `every reason of Apple's can be provoked`(_ reason: Reason) throws {
        let rule = try InjectionRule(text: "rejected,reason=\(reason.rawValue)")
        #expect(rule.fault == .request(.rejected(reason)))
    }

    @Test(arguments: [
        ("", "one of rejected"), ("explode", "one of rejected"), ("rejected", "needs 'reason'"),
        ("slow", "needs 'milliseconds'"), ("rejected,reason=Nope", "one of Apple's"),
        ("slow,milliseconds=-1", "a number from 0"), ("slow,milliseconds=soon", "a number from 0"),
        ("slow,milliseconds=9999999999999999999999", "a number from 0"), ("dropped,percent=0", "from 1 to 100"),
        ("dropped,percent=101", "from 1 to 100"), ("dropped,device=0", "a number from 1"),
        ("dropped,count=0", "a number from 1"), ("dropped,after=-1", "a number from 0"),
        ("dropped,device=1,device=2", "given twice"), ("dropped,reason=Shutdown", "unknown to the fault 'dropped'"),
        ("dropped,colour=red", "unknown to the fault"), ("dropped,percent", "name=value"),
        ("dropped,,percent=1", "name=value"), ("silence,processed=maybe", "yes or no"),
        ("go-away,last-stream=first", "processed, middle"), ("dropped,topic=", "a bundle id"),
        ("reset,code=4294967296", "a number from 0 to 4294967295"),
    ])
    func `a rule that is wrong is refused with what to write`(_ text: String, _ words: String) {
        do throws(InjectionRuleError) {
            _ = try InjectionRule(text: text)
            Issue.record("taken: \(text)")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }
}
