package io.uniserve.benchmark.ycsb;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Workload of YCSB: a name and its properties.
 *
 * @param name {@code a} to {@code f}, {@code scans} or {@code hot}
 */
record YcsbWorkload(String name, Map<String, String> properties) {
    /** Core workloads in the order in which they run: those that insert rows come last. */
    static final List<String> CORE = List.of("a", "b", "c", "f", "d", "e");

    static final String SCANS = "scans";
    static final String HOT = "hot";

    YcsbWorkload {
        properties = Map.copyOf(properties);
    }

    /** Returns a core workload. Fails with INVALID_ARGUMENT if there is none with this name. */
    static YcsbWorkload core(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!CORE.contains(lower)) {
            throw UniserveException.invalid("--workloads has \"" + name + "\": use a, b, c, d, e or f");
        }
        return load(lower);
    }

    /** Reads the properties of a workload of this bench. */
    static YcsbWorkload load(String name) {
        String resource = "workload-" + name + ".properties";
        try (InputStream in = YcsbWorkload.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new UniserveException(ErrorCode.INTERNAL, "resource " + resource + " is missing");
            }
            Properties read = new Properties();
            try (Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8)) {
                read.load(reader);
            }
            Map<String, String> properties = new TreeMap<>(common());
            read.forEach((key, value) -> properties.put((String) key, (String) value));
            return new YcsbWorkload(name, properties);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read resource " + resource, e);
        }
    }

    /** Properties of all workloads: rows, checked values, and latencies from the intended start of each operation. */
    private static Map<String, String> common() {
        return Map.ofEntries(
                Map.entry("workload", "site.ycsb.workloads.CoreWorkload"),
                Map.entry("table", "usertable"),
                Map.entry("fieldcount", Integer.toString(YcsbPort.FIELDS)),
                Map.entry("fieldlength", Integer.toString(YcsbPort.FIELD_BYTES)),
                Map.entry("fieldlengthdistribution", "constant"),
                Map.entry("readallfields", "true"),
                Map.entry("writeallfields", "false"),
                Map.entry("dataintegrity", "true"),
                Map.entry("measurementtype", "hdrhistogram"),
                Map.entry("measurement.interval", "both"),
                Map.entry("hdrhistogram.percentiles", "50,95,99"),
                Map.entry("status.interval", "1"),
                Map.entry("uniserve.check-scans", "true"));
    }

    /** True if the workload has scans. */
    boolean scans() {
        return Double.parseDouble(properties.getOrDefault("scanproportion", "0")) > 0;
    }

    /** Returns the workload with these properties in place of its own. */
    YcsbWorkload with(Map<String, String> more) {
        Map<String, String> all = new TreeMap<>(properties);
        all.putAll(more);
        return new YcsbWorkload(name, all);
    }
}
