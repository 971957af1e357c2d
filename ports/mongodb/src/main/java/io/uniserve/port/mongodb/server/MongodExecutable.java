package io.uniserve.port.mongodb.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Program {@code mongod} of a MongoDB version that the port supports.
 *
 * @param path the program
 * @param version its version, such as 7.0.5
 */
public record MongodExecutable(Path path, String version) {
    /** Setting: {@link #AUTO}, {@link #NEVER}, or the path of a program. */
    public static final String MONGOD = "mongod";

    /** Starts the program of the PATH if there is one, and mongo-java-server otherwise. */
    static final String AUTO = "auto";
    /** Starts mongo-java-server. */
    public static final String NEVER = "never";

    private static final Pattern VERSION = Pattern.compile("db version v((\\d+)[\\w.+-]*)");
    private static final int VERSION_BYTES_MAX = 10_000;
    private static final long VERSION_TIMEOUT_MS = 20_000;

    private static final Logger LOG = LoggerFactory.getLogger(MongodExecutable.class);

    /**
     * The program to start by the setting; empty for mongo-java-server.
     *
     * @param searchPath folders, as in the variable PATH
     * @throws UniserveException INVALID_CONFIGURATION if a path was set that is not a program of a supported version
     */
    public static Optional<MongodExecutable> find(Map<String, String> settings, String searchPath) {
        String setting = settings.getOrDefault(MONGOD, AUTO);
        if (setting.equals(NEVER)) {
            return Optional.empty();
        }
        if (!setting.equals(AUTO)) {
            if (!setting.contains("/")) {
                throw refuse(setting, "is none of " + AUTO + ", " + NEVER + " and a path with a slash");
            }
            return Optional.of(check(Path.of(setting)));
        }
        Optional<Path> found = Stream.of(searchPath.split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, MONGOD))
                .filter(Files::isExecutable)
                .findFirst();
        try {
            return found.map(MongodExecutable::check);
        } catch (UniserveException e) {
            LOG.warn("{} is not used: {}", found.orElseThrow(), e.getMessage());
            return Optional.empty();
        }
    }

    private static MongodExecutable check(Path path) {
        if (!Files.isExecutable(path) || Files.isDirectory(path)) {
            throw refuse(path.toString(), "is not a program");
        }
        String told = askVersion(path);
        Matcher version = VERSION.matcher(told);
        if (!version.find()) {
            throw refuse(path.toString(), "tells no version of MongoDB, but \"" + firstLine(told) + "\"");
        }
        if (Integer.parseInt(version.group(2)) < MongoConnection.MAJOR_VERSION_MIN) {
            throw refuse(
                    path.toString(),
                    "has version " + version.group(1) + "; use " + MongoConnection.MAJOR_VERSION_MIN + " or later");
        }
        return new MongodExecutable(path, version.group(1));
    }

    private static String askVersion(Path path) {
        Process process;
        try {
            process = new ProcessBuilder(path.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw refuse(path.toString(), "cannot be started: " + e.getMessage());
        }
        try (InputStream output = process.getInputStream()) {
            process.getOutputStream().close();
            // A program that is ended closes its output.
            DaemonThreads.delayed("mongod-version", VERSION_TIMEOUT_MS).execute(process::destroyForcibly);
            return new String(output.readNBytes(VERSION_BYTES_MAX), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw refuse(path.toString(), "does not tell its version: " + e.getMessage());
        } finally {
            process.destroyForcibly();
        }
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private static UniserveException refuse(String setting, String why) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "mongodb." + MONGOD + ": " + setting + " " + why + "; set the path of a mongod, or " + NEVER
                        + ", or mongodb." + MongoConnection.URI + " of a server that runs");
    }
}
