package io.uniserve.port.solr.table;

import io.uniserve.api.EngineFailures;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.api.extra.PackedFiles;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
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
 * An engine's configuration in a folder of files, which a table brings in an option, packed by {@link PackedFiles}, and to
 * which definitions and files may be added while the table lives: the option's {@link MutableOptions later} value has files over
 * the first ones. A change may only add, as what an engine has indexed by one definition it cannot read by another. Safe for
 * use by several threads.
 *
 * @param <C> the configuration as the engine reads it
 */
public final class ConfigFiles<C> {
    /** The option's value for the port's own files, as where it is not given. */
    public static final String DEFAULT = "default";

    private static final String ANY = "*";

    private final String option;
    private final String main;
    private final List<String> names;
    private final String own;
    private final Format<C> format;
    private final EngineFailures failures;

    /** How an engine reads its configuration. */
    public interface Format<C> {
        /** Reads a complete folder; whatever it throws is the user's. */
        C read(Path folder) throws Exception;

        /** All definitions, by kind, such as "field", and by name. */
        Map<String, Map<String, String>> parts(C config);

        /** What a name means, by a definition of its own or by a pattern, or null. */
        @Nullable
        String meaning(C config, String name);
    }

    /**
     * Files of a table's option.
     *
     * @param option the option's name
     * @param main the file that has the definitions; it may change, where {@link Format#parts} agree
     * @param names other names that users give the main file
     * @param own a file that is always the port's own
     * @param format reads a folder; its own file, and the main file of tables that bring none, are resources beside its class
     */
    public ConfigFiles(String option, String main, List<String> names, String own, Format<C> format) {
        this.option = option;
        this.main = main;
        this.names = List.copyOf(names);
        this.own = own;
        this.format = format;
        this.failures = new EngineFailures(option, ConfigFiles::code);
    }

    /**
     * For {@link Format#parts}, of an engine that tells its definitions by the plural of their kind, such as "fields": one, or a
     * list of them.
     *
     * @param name of a definition of a kind; null where all that it says is its name
     */
    public static Map<String, Map<String, String>> parts(
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

    /** What an engine says of its configuration is the user's; a disk's troubles are not. */
    private static Optional<ErrorCode> code(Throwable failure) {
        boolean disk = failure instanceof FileSystemException
                || String.valueOf(failure.getMessage()).contains("No space left");
        return disk ? Optional.empty() : Optional.of(ErrorCode.INVALID_ARGUMENT);
    }

    /**
     * The name of a folder under the base whose folder {@code conf} has the table's files; made where it is not there, named by
     * what is in it.
     */
    public synchronized String folder(Map<String, String> options, Path base) throws IOException {
        String first = options.getOrDefault(option, DEFAULT);
        String second = options.getOrDefault(MutableOptions.of(option), "");
        String name = Sha256.hex(Bytes.utf8(first + " " + second));
        PackedFiles.once(Files.createDirectories(base.resolve(name)).resolve("conf"), folder -> {
            if (first.equals(DEFAULT)) {
                copy(main, folder);
            } else {
                PackedFiles.unpack(first, folder);
            }
            PackedFiles.rename(folder, names, main);
            if (!second.isEmpty()) {
                PackedFiles.unpack(second, folder);
                PackedFiles.rename(folder, names, main);
            }
            copy(own, folder);
        });
        return name;
    }

    private void copy(String file, Path folder) throws IOException {
        Files.writeString(folder.resolve(file), PackedFiles.resource(format.getClass(), file));
    }

    private Path conf(Map<String, String> options, Path base) throws IOException {
        return base.resolve(folder(options, base)).resolve("conf");
    }

    /**
     * For {@link io.uniserve.api.Engine#validate}: the table may have the option and these others. Returns what was read, for further checks.
     */
    public C validate(TableMeta meta, String... others) {
        TableChecks.onlyOptions(
                meta, Stream.concat(Stream.of(option), Stream.of(others)).toList());
        return failures.translated(
                "be read", () -> PackedFiles.temporary(base -> format.read(conf(meta.options(), base))));
    }

    /** For {@link io.uniserve.api.Engine#validateChange}: refuses all but additions. */
    public void validateChange(TableMeta before, TableMeta now) {
        TableChecks.onlyChanged(before, now, MutableOptions.of(option));
        failures.translated(
                "be read",
                () -> PackedFiles.temporary(base -> {
                    check(before.options(), now.options(), base);
                    return base;
                }));
    }

    /** Refuses by name, with INVALID_ARGUMENT, whatever was there and is not any more, or means something else. */
    private void check(Map<String, String> before, Map<String, String> now, Path base) throws Exception {
        if (before.equals(now)) {
            return;
        }
        Map<String, String> files = PackedFiles.digests(conf(before, base));
        files.remove(main);
        TableChecks.additions("file", files, PackedFiles.digests(conf(now, base)));
        C was = format.read(conf(before, base));
        C is = format.read(conf(now, base));
        Map<String, Map<String, String>> parts = format.parts(is);
        format.parts(was)
                .forEach((kind, named) -> TableChecks.additions(kind, named, parts.getOrDefault(kind, Map.of())));
        parts.forEach((kind, named) -> {
            for (String name : named.keySet()) {
                for (String sample : samples(
                        name, format.parts(was).getOrDefault(kind, Map.of()).keySet())) {
                    String meant = format.meaning(was, sample);
                    if (meant != null && !meant.equals(format.meaning(is, sample))) {
                        throw UniserveException.invalid(kind + " \"" + name + "\" is new, but was " + meant
                                + " by a pattern, and documents may have it; use a name that no pattern takes");
                    }
                }
            }
        });
    }

    /** Names that a pattern, with a star at an end, takes: any one, and those that another one takes too. */
    private static List<String> samples(String name, Collection<String> patterns) {
        List<String> samples = new ArrayList<>(List.of(name.replace(ANY, "x")));
        for (String other : patterns) {
            if (name.endsWith(ANY) && other.startsWith(ANY)) {
                samples.add(name.replace(ANY, "") + other.replace(ANY, ""));
            } else if (name.startsWith(ANY) && other.endsWith(ANY)) {
                samples.add(other.replace(ANY, "") + name.replace(ANY, ""));
            }
        }
        return samples;
    }
}
