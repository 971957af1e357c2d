package io.uniserve.cli.table;

import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.error.UniserveException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Local directory of a Solr configset, as a table's option. */
final class ConfigsetPacker {
    /** Name of the option. */
    static final String OPTION = "configset";

    /** The option's value for the port's own configset. */
    static final String DEFAULT = "default";

    private static final List<String> SCHEMAS = List.of("schema.xml", "managed-schema.xml", "managed-schema");

    private ConfigsetPacker() {}

    /**
     * Packs the directory, or its {@code conf} as in Solr. Solr's own configuration of cores is not packed.
     *
     * @param before packed files; files equal to these are left out; may be empty
     */
    static String pack(Path folder, String before) {
        Path conf = Files.isDirectory(folder.resolve("conf")) ? folder.resolve("conf") : folder;
        if (Files.isDirectory(conf) && SCHEMAS.stream().noneMatch(name -> Files.exists(conf.resolve(name)))) {
            throw UniserveException.invalid(
                    "folder " + conf + " has none of " + SCHEMAS + "; give the folder of a configset");
        }
        return PackedFilesCodec.pack(conf, file -> !file.endsWith("solrconfig.xml"), before);
    }
}
