package io.uniserve.cli.command;

import io.uniserve.model.Release;
import picocli.CommandLine.IVersionProvider;

/** Version of this build. */
public final class Version implements IVersionProvider {
    /** Returns the commit of the sources, as set by the start script; {@code unknown} without a repository. */
    public static String commit() {
        String commit = System.getProperty("uniserve.commit", "");
        return commit.isBlank() ? "unknown" : commit;
    }

    /** Returns the version of the build, e.g. {@code 0.1.0}. */
    public static String number() {
        String version = Release.CURRENT.version();
        return version.isEmpty() ? "unknown" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"uniserve " + number() + " (commit " + commit() + "), Java " + Runtime.version()};
    }
}
