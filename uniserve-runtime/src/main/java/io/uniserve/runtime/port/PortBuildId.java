package io.uniserve.runtime.port;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Build of a port: a checksum over the contents of its jars, which include its engine and codecs. The same sources give the same
 * build, whenever they were packed. A plan names the build of its operators' port, so that no operator of another build answers a
 * part of it.
 */
public final class PortBuildId {
    /** Separator between an operator's {@code name@version} and the build. */
    private static final char SEPARATOR = '#';

    private PortBuildId() {}

    static String of(List<URL> jars) throws IOException {
        Map<String, Long> contents = new TreeMap<>();
        for (URL jar : jars) {
            try (ZipFile file = new ZipFile(Path.of(jar.toURI()).toFile())) {
                // The jar already has a checksum of every entry, so nothing is unpacked.
                file.stream()
                        .filter(entry -> !entry.isDirectory() && !isOfPacking(entry.getName()))
                        .forEach(entry ->
                                contents.merge(entry.getName(), checksum(entry), (one, other) -> 31 * one + other));
            } catch (URISyntaxException e) {
                throw new IOException("jar without a file path: " + jar, e);
            }
        }
        CRC32C all = new CRC32C();
        contents.forEach((name, sum) -> all.update((name + ":" + sum + "\n").getBytes(StandardCharsets.UTF_8)));
        return HexFormat.of().toHexDigits((int) all.getValue());
    }

    /** True for entries that record the time and place of packing. */
    private static boolean isOfPacking(String name) {
        return name.equals("META-INF/MANIFEST.MF") || name.startsWith("META-INF/maven/");
    }

    private static long checksum(ZipEntry entry) {
        return entry.getCrc() + (entry.getSize() << 32);
    }

    /** Qualifies the operator with the build; unchanged if the build is empty, as for ports that were not loaded from jars. */
    public static String qualify(String operator, String build) {
        return build.isEmpty() ? operator : operator + SEPARATOR + build;
    }

    /** Returns the operator's {@code name@version}. */
    public static String withoutBuild(String named) {
        int mark = named.lastIndexOf(SEPARATOR);
        return mark < 0 ? named : named.substring(0, mark);
    }

    /** True if the operator is qualified with this build or with none. */
    public static boolean matches(String named, String build) {
        int mark = named.lastIndexOf(SEPARATOR);
        return mark < 0 || named.substring(mark + 1).equals(build);
    }

    /** Error message for an operator that the server's port does not have. */
    public static String missingOperatorMessage(String named) {
        return named.indexOf(SEPARATOR) < 0
                ? "this server's port has no operator \"" + named + "\"; compare the versions of client and port"
                : "this server's port has no operator \"" + withoutBuild(named)
                        + "\" of the build that planned the query, " + named.substring(named.lastIndexOf(SEPARATOR) + 1)
                        + ": servers have different builds of the port, install the same on all";
    }
}
