/// Version of the package and its programs, by SemVer: the newest of CHANGELOG.md.
package enum ReleaseVersion {
    package static let text = "0.1.0"
}
