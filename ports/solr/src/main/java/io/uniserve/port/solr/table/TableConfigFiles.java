package io.uniserve.port.solr.table;

import io.uniserve.api.EngineErrorMapper;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configuration files of a table, packed into a table option by {@link PackedFilesCodec}. Definitions and files may be added while the table
 * exists: the files in the option's {@link MutableOptions changed} value overlay the original ones. Only additions are allowed, because the
 * engine could not read existing data by a changed definition. Safe for use by several threads.
 *
 * @param <C> the configuration as the engine reads it
 */
public final class TableConfigFiles<C> {
    /** Value of the option for the port's own files; also the default. */
    public static final String DEFAULT = "default";

    private static final String WILDCARD = "*";

    private final String option;
    private final String mainFile;
    private final List<String> mainFileAliases;
    private final String portFile;
    private final Format<C> format;
    private final EngineErrorMapper failures;

    /** Reader of an engine's configuration. */
    public interface Format<C> {
        /** Checks a folder without the port's own file, before any other use. Throws INVALID_ARGUMENT for what is not permitted. */
        void check(Path folder) throws IOException;

        /** Reads a complete folder. Any exception counts as an error in the user's files. */
        C read(Path folder) throws Exception;

        /** All definitions by kind, such as "field", and by name. */
        Map<String, Map<String, String>> definitions(C config);

        /** The definition that applies to a name, its own or that of a pattern; null if there is none. */
        @Nullable
        String describeDefinition(C config, String name);
    }

    /**
     * Configuration in a table option.
     *
     * @param option name of the option
     * @param main the file with the definitions; its bytes may change as long as {@link Format#definitions} only grow
     * @param names alternative names of the main file
     * @param own a file that always comes from the port
     * @param format reads a folder; {@code own}, and {@code main} for tables without files, are resources beside its class
     */
    public TableConfigFiles(String option, String main, List<String> names, String own, Format<C> format) {
        this.option = option;
        this.mainFile = main;
        this.mainFileAliases = List.copyOf(names);
        this.portFile = own;
        this.format = format;
        this.failures = new EngineErrorMapper(option, TableConfigFiles::errorCode);
    }

    /**
     * Builds the result of {@link Format#definitions} from a map by plural of the kind, such as "fields", with one definition or a list of them.
     *
     * @param name returns the name of a definition of a kind; null if the definition is only a name
     */
    public static Map<String, Map<String, String>> definitionsByKind(
            Map<String, ?> byKinds, BiFunction<String, Object, @Nullable Object> name) {
        Map<String, Map<String, String>> parts = new TreeMap<>();
        byKinds.forEach((kinds, value) -> {
            Map<String, String> named = parts.computeIfAbsent(kinds.replaceFirst("s$", ""), any -> new TreeMap<>());
            for (Object part : value instanceof List<?> list ? list : List.of(value)) {
                Object own = name.apply(kinds, part);
                named.put(String.valueOf(own == null ? part : own), part.toString());
            }
        });
        return parts;
    }

    /** Errors in configuration files are the user's; disk errors are not. */
    private static Optional<ErrorCode> errorCode(Throwable failure) {
        boolean disk = failure instanceof FileSystemException
                || String.valueOf(failure.getMessage()).contains("No space left");
        return disk ? Optional.empty() : Optional.of(ErrorCode.INVALID_ARGUMENT);
    }

    /**
     * Returns the name of a folder under {@code base} whose subfolder {@code conf} holds the table's files. Creates it if needed; the name
     * is a digest of the contents.
     */
    public synchronized String createFolder(Map<String, String> options, Path base) throws IOException {
        String first = options.getOrDefault(option, DEFAULT);
        String second = options.getOrDefault(MutableOptions.mutableName(option), "");
        String name = Sha256.hex(Bytes.utf8(first + " " + second));
        PackedFilesCodec.createOnce(Files.createDirectories(base.resolve(name)).resolve("conf"), folder -> {
            if (first.equals(DEFAULT)) {
                copy(mainFile, folder);
            } else {
                PackedFilesCodec.unpack(first, folder);
            }
            PackedFilesCodec.rename(folder, mainFileAliases, mainFile);
            if (!second.isEmpty()) {
                PackedFilesCodec.unpack(second, folder);
                PackedFilesCodec.rename(folder, mainFileAliases, mainFile);
            }
            format.check(folder);
            copy(portFile, folder);
        });
        return name;
    }

    private void copy(String file, Path folder) throws IOException {
        Files.writeString(folder.resolve(file), PackedFilesCodec.readResource(format.getClass(), file));
    }

    private Path createConfFolder(Map<String, String> options, Path base) throws IOException {
        return base.resolve(createFolder(options, base)).resolve("conf");
    }

    /**
     * Implements {@link io.uniserve.api.Engine#validate}: the table may have this option and the given others.
     *
     * @return the configuration, for further checks
     */
    public C validate(TableMeta meta, String... others) {
        TableOptionValidator.requireOnlyOptions(
                meta, Stream.concat(Stream.of(option), Stream.of(others)).toList());
        return failures.call(
                "be read",
                () -> PackedFilesCodec.withTemporaryFolder(
                        base -> format.read(createConfFolder(meta.options(), base))));
    }

    /** Implements {@link io.uniserve.api.Engine#validateChange}: allows only additions. */
    public void validateChange(TableMeta before, TableMeta now) {
        TableOptionValidator.requireOnlyOptionChanged(before, now, MutableOptions.mutableName(option));
        failures.call(
                "be read",
                () -> PackedFilesCodec.withTemporaryFolder(base -> {
                    checkOnlyAdditions(before.options(), now.options(), base);
                    return base;
                }));
    }

    /** Rejects removed or changed definitions and files by name, with INVALID_ARGUMENT. */
    private void checkOnlyAdditions(Map<String, String> before, Map<String, String> now, Path base) throws Exception {
        if (before.equals(now)) {
            return;
        }
        Map<String, String> files = PackedFilesCodec.digests(createConfFolder(before, base));
        files.remove(mainFile);
        TableOptionValidator.requireOnlyAdditions("file", files, PackedFilesCodec.digests(createConfFolder(now, base)));
        C was = format.read(createConfFolder(before, base));
        C is = format.read(createConfFolder(now, base));
        Map<String, Map<String, String>> parts = format.definitions(is);
        format.definitions(was)
                .forEach((kind, named) ->
                        TableOptionValidator.requireOnlyAdditions(kind, named, parts.getOrDefault(kind, Map.of())));
        parts.forEach((kind, named) -> {
            for (String name : named.keySet()) {
                for (String sample : sampleNames(
                        name,
                        format.definitions(was).getOrDefault(kind, Map.of()).keySet())) {
                    String meant = format.describeDefinition(was, sample);
                    if (meant != null && !meant.equals(format.describeDefinition(is, sample))) {
                        throw UniserveException.invalid(kind + " \"" + name + "\" is new, but was " + meant
                                + " by a pattern, and documents may have it; use a name that no pattern takes");
                    }
                }
            }
        });
    }

    /** Sample names that match a pattern with a star at one end: an arbitrary one, and names that also match another pattern. */
    private static List<String> sampleNames(String name, Collection<String> patterns) {
        List<String> samples = new ArrayList<>(List.of(name.replace(WILDCARD, "x")));
        for (String other : patterns) {
            if (name.endsWith(WILDCARD) && other.startsWith(WILDCARD)) {
                samples.add(name.replace(WILDCARD, "") + other.replace(WILDCARD, ""));
            } else if (name.startsWith(WILDCARD) && other.endsWith(WILDCARD)) {
                samples.add(other.replace(WILDCARD, "") + name.replace(WILDCARD, ""));
            }
        }
        return samples;
    }
}
