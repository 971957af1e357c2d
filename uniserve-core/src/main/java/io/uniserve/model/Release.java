package io.uniserve.model;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * Release of a process: the version of its build, and its level. A release that writes or sends what earlier releases do not understand has
 * the next level. Immutable.
 *
 * @param version version of the build, e.g. {@code 0.1.0}; empty for processes that do not send one
 * @param level at least 1; 0 for processes that do not send one, which are from before levels
 */
public record Release(String version, int level) {
    /** Release of a process that does not send one. */
    public static final Release UNKNOWN = new Release("", 0);

    /** Release of this build. */
    public static final Release CURRENT = new Release(versionOfBuild(), 1);

    /** True if the other release has a higher level. */
    public boolean isOlderThan(Release other) {
        return level < other.level;
    }

    /** The version with the level, for people; {@code unknown} without a version. */
    @Override
    public String toString() {
        return (version.isEmpty() ? "unknown" : version) + " (level " + level + ")";
    }

    private static String versionOfBuild() {
        try (InputStream in = Release.class.getResourceAsStream("release.properties")) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "");
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read release.properties of uniserve-core's jar", e);
        }
    }
}
