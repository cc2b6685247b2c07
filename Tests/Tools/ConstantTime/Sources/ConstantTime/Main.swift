import CValgrind
import Platform

/// Runs the code that handles secrets with the secrets marked as undefined memory: valgrind then counts every branch
/// and every address that depends on one.
///
/// Permitted dependencies are declared: each operation has the number of decisions that are public by design, such as a
/// tag's verdict. One more is a failure. Operations that leak on purpose must be found, or the check itself is broken.
@main
enum ConstantTime {
    static func main() throws {
        guard cvalgrind_is_running() != 0 else {
            print("this means something under valgrind only; use Tests/Tools/ConstantTime/run")
            exit(2)
        }
        let results = try SodiumChecks.results() + LibraryChecks.results() + PlantedLeaks.results()
        for result in results { print(result.line) }
        // An error thrown from here would end the process before the lines are out.
        exit(results.allSatisfy(\.isRight) ? 0 : 1)
    }
}
