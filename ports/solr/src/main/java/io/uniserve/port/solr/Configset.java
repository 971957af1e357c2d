package io.uniserve.port.solr;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The configsets that come with the port, and the one a table asks for. */
enum Configset {
    /** Text, and dynamic fields for every type; see {@code configsets/default/schema.xml}. */
    DEFAULT("id", "text");

    private static final String OPTION = "configset";
    private static final List<String> FILES = List.of("schema.xml", "solrconfig.xml");

    private final String uniqueKey;
    private final String defaultField;

    Configset(String uniqueKey, String defaultField) {
        this.uniqueKey = uniqueKey;
        this.defaultField = defaultField;
    }

    /** The configset in the table's options, which must hold nothing else. */
    static Configset of(TableMeta meta) {
        for (String option : meta.options().keySet()) {
            if (!option.equals(OPTION)) {
                throw UniserveException.invalid(
                        "table option \"" + option + "\" is unknown to port solr: use " + OPTION);
            }
        }
        String wanted = meta.options().getOrDefault(OPTION, DEFAULT.id());
        for (Configset configset : values()) {
            if (configset.id().equals(wanted)) {
                return configset;
            }
        }
        throw UniserveException.invalid("table option " + OPTION + " is \"" + wanted + "\": use " + DEFAULT.id());
    }

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    String uniqueKey() {
        return uniqueKey;
    }

    /** The field that words without one are looked up in. */
    String defaultField() {
        return defaultField;
    }

    /** Writes all configsets as Solr wants them: {@code base/<id>/conf/}. */
    static void writeAll(Path base) {
        for (Configset configset : values()) {
            for (String file : FILES) {
                configset.write(file, base.resolve(configset.id()).resolve("conf"));
            }
        }
    }

    private void write(String file, Path directory) {
        try (InputStream in = Configset.class.getResourceAsStream("configsets/" + id() + "/" + file)) {
            if (in == null) {
                throw new UniserveException(ErrorCode.PORT_FAILED, "configset " + id() + " lacks " + file);
            }
            Files.createDirectories(directory);
            Files.copy(in, directory.resolve(file));
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot write configset " + id() + " to " + directory, e);
        }
    }
}
