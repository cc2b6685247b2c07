package import CommandLineTool
package import Envelope

extension JSONValue {
    /// A member that our programs always print.
    package func integer(_ name: String) throws(CommandError) -> Int64 {
        guard case .integer(let number) = self[name]?.content else { throw .failed("no \"\(name)\" was reported") }
        return number
    }

    package func text(_ name: String) throws(CommandError) -> String {
        guard let text = self[name]?.string else { throw .failed("no \"\(name)\" was reported") }
        return text
    }
}
