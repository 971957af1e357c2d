package io.uniserve.cli.table;

import io.uniserve.api.PackedFiles;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder of a Solr configset on this machine, as a table's option. */
final class ConfigsetFolder {
    /** The option's name. */
    static final String OPTION = "configset";

    private ConfigsetFolder() {}

    /**
     * The folder packed, or its {@code conf} as Solr has it; Solr's own configuration of cores stays at home.
     *
     * @param before packed files whose equals are left out; may be empty
     */
    static String packed(Path folder, String before) {
        Path conf = folder.resolve("conf");
        return PackedFiles.pack(
                Files.isDirectory(conf) ? conf : folder, file -> !file.endsWith("solrconfig.xml"), before);
    }
}
