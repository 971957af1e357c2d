package io.uniserve.cli.command;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
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
        try (InputStream in = Version.class.getResourceAsStream("/io/uniserve/cli/command/version.properties")) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read version.properties of the command's own jar", e);
        }
    }

    @Override
    public String[] getVersion() {
        return new String[] {"uniserve " + number() + " (commit " + commit() + "), Java " + Runtime.version()};
    }
}
