import Testing

struct LanguageRuleTests {
    @Test(arguments: [
        "/// What is waiting.\nvar a = 1", "    /// Whether it waits.", "let a = 1\n/// Who asked for it.",
        "/// Nobody calls it.", "/// Sends.\n///\n/// Whoever waits is woken.",
        "/// Sends.\nfunc a() {}\n/// How long.",
    ])
    func `a doc comment that begins as a question does is found`(_ text: String) {
        #expect(LanguageRules.checkFirstWords(file(text)).count == 1)
    }

    @Test(arguments: [
        "/// The waiting work.", "/// Sends it.\n/// What is left stays.", "// What follows is checked.",
        "let a = \"/// What\"", "/// Whatsoever",
    ])
    func `a doc comment that begins with a noun or a verb is not found`(_ text: String) {
        #expect(LanguageRules.checkFirstWords(file(text)) == [])
    }

    @Test(arguments: [
        "// A request who has no key.", "/// Connections, who wait.", "/// The newest\n/// push whom nobody wants.",
    ])
    func `a thing that is called who is found`(_ text: String) {
        #expect(LanguageRules.checkPersons(file(text)).count == 1)
    }

    @Test(arguments: ["// A person who taps.", "let a = \"a request who\"", "// It shows who sent a request."])
    func `a person is not found`(_ text: String) {
        #expect(LanguageRules.checkPersons(file(text)) == [])
    }

    @Test(arguments: [
        #"throw wrong("nobody listens there")"#, #"f("sent", "it stays, \(count) times, whoever asks")"#,
        #"let a = "what is there already""#, #"let a = "Whether it was stored is not certain.""#,
        "let a = \"\"\"\n    Ends.\n\n    Somebody is in between.\n    \"\"\"",
        "let a = \"\"\"\n    Who signs it.\n    \"\"\"", ##"let a = #"who "signs" it"#"##,
        #"f("\(name("who signs them"))")"#,
    ])
    func `a text about nobody, or one that begins as a question does, is found`(_ text: String) {
        #expect(LanguageRules.checkTexts(file(text)).map(\.line) == [1])
    }

    @Test(arguments: [
        "// \"what is there already\"", #"let a = "nobody here""#, #"let a = "The relay, and what it stores.""#,
        #"let a = "whatever comes next""#, #"let a = "WHAT APPLE SAW""#, #"let a = " what is left of a sentence""#,
        #"let a = "\(whoever) is there already""#,
    ])
    func `another text is not found`(_ text: String) {
        #expect(LanguageRules.checkTexts(file(text)) == [])
    }

    @Test(arguments: [
        "final class QuotaBook {", "struct WakeBell {}", "private func ring() {}", "func tellAll() {}",
    ])
    func `a retired word in a declared name is found`(_ text: String) {
        #expect(LanguageRules.checkNames(file(text)).count == 1)
    }

    @Test(arguments: [
        "struct Bookmark {}", "func ringtone() {}", "let ring = KeyRing()", "let door = 1", "func judge() {}",
        "let a = QuotaBook()",
        "// struct QuotaBook",
        "func retell() {}",
    ])
    func `another word is not found`(_ text: String) {
        #expect(LanguageRules.checkNames(file(text)) == [])
    }

    @Test func `an error that is named otherwise is found`() {
        let wrong = ["struct Fault: Error {", "enum FileFault: String, Error {", "enum Refusal: Error, Equatable {"]
        #expect(wrong.allSatisfy { LanguageRules.checkErrors(file($0)).count == 1 })
        let right = [
            "enum InjectedFault: Sendable {", "struct FileError: Error {", "var fault: Error?", "// enum Fault: Error",
        ]
        #expect(right.allSatisfy { LanguageRules.checkErrors(file($0)) == [] })
    }

    @Test func `a type of the glossary that is not declared is found, and more than 60 entries`() {
        let row = "| **word** | meaning | `Word`, `Other` on the phone |"
        let glossary = TextFile(
            path: "docs/glossary.md",
            text: ([String](repeating: row, count: 61)).joined(separator: "\n")
        )
        let words = LanguageRules.checkGlossary(glossary, against: [file("package struct Word {}\nenum Other {}")])
        #expect(words.map(\.line) == [61])
        let none = LanguageRules.checkGlossary(glossary, against: [file("package struct Word {}")])
        #expect(none.count == 62)
    }

    private func file(_ text: String) -> TextFile { TextFile(path: "Sources/Keys/A.swift", text: text) }
}
