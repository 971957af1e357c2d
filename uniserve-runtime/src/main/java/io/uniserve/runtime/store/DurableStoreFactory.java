package io.uniserve.runtime.store;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.optional.OptionalJars;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Factory of durable storage by its location in the configuration. Kinds other than directories come from the jars in {@code aws/lib} of
 * the distribution, or from the class path.
 */
public final class DurableStoreFactory {
    private static final String FILE = "file:";
    /** A location with a scheme is never a directory, whatever its spelling: data would be on one disk that no other server sees. */
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://.*|([a-z][a-z0-9+.-]+):.*");

    private DurableStoreFactory() {}

    /**
     * Opens {@code file:/path}, a plain path, or a location of a {@linkplain DurableStoreProvider provider}, such as
     * {@code s3://bucket/prefix}.
     *
     * @throws UniserveException INVALID_CONFIGURATION for a location of an unknown kind or one that cannot be written
     */
    public static DurableStore open(String location) {
        if (location.isBlank()) {
            throw unknown(location, "it is empty");
        }
        return isDirectory(location)
                ? LocalObjectStore.open(directory(location))
                : provider(location).open(location);
    }

    /** The directory of a location for which {@link #isDirectory} is true. */
    public static Path directory(String location) {
        return Path.of(location.startsWith(FILE) ? location.substring(FILE.length()) : location);
    }

    /** True for locations of directories. */
    public static boolean isDirectory(String location) {
        return location.startsWith(FILE) || !SCHEME.matcher(location).matches();
    }

    /**
     * Provider of a location's kind.
     *
     * @throws UniserveException INVALID_CONFIGURATION if there is none
     */
    public static DurableStoreProvider provider(String location) {
        Matcher matcher = SCHEME.matcher(location);
        String scheme = !matcher.matches() ? "" : matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        return OptionalJars.find(
                        DurableStoreProvider.class,
                        provider -> provider.scheme().equals(scheme))
                .orElseThrow(
                        () -> unknown(location, "no provider of \"" + scheme + "\" is in " + OptionalJars.folder()));
    }

    private static UniserveException unknown(String location, String why) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "durable store \"" + location + "\" is of an unknown kind: " + why
                        + "; use file:/path to a directory that" + " all servers share, or s3://bucket/prefix");
    }
}
