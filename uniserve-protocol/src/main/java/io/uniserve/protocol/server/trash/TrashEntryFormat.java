package io.uniserve.protocol.server.trash;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TrashEntry;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names and descriptions of entries of the trash: {@code <milliseconds>-<replica>-<random>}, and readable lines of text. */
final class TrashEntryFormat {
    private static final Pattern ID = Pattern.compile("(\\d{1,15})-t(\\d{1,18})-a(\\d{1,9}|1\\d{9})-[0-9a-f]{1,16}");
    private static final String FORMAT = "1";

    private TrashEntryFormat() {}

    static String id(long trashedMs, ReplicaKey key, long random) {
        return trashedMs + "-" + key + "-" + Long.toHexString(random);
    }

    /** The entry by its name alone; empty if the name has another form. */
    static Optional<TrashEntry> parseId(String id, long retentionMs) {
        Matcher name = ID.matcher(id);
        if (!name.matches()) {
            return Optional.empty();
        }
        long trashedMs = Long.parseLong(name.group(1));
        ReplicaKey key = new ReplicaKey(Long.parseLong(name.group(2)), Integer.parseInt(name.group(3)));
        return Optional.of(new TrashEntry(
                id, "", key, 0, 0, 0, trashedMs, trashedMs + retentionMs, "its description cannot be read"));
    }

    static Bytes encode(TrashEntry entry) {
        return Bytes.utf8("format=" + FORMAT + "\ntable=" + entry.table() + "\nreplica=" + entry.key() + "\nepoch="
                + entry.epoch() + "\nlast-index=" + entry.lastIndex() + "\nbytes=" + entry.bytes()
                + "\ntrashed-ms=" + entry.trashedMs() + "\nreason="
                + entry.reason().replaceAll("\\p{Cntrl}", " ") + "\n");
    }

    /** The entry by its description if that can be read, else by its name. */
    static TrashEntry decode(TrashEntry named, Bytes text) {
        TreeMap<String, String> fields = new TreeMap<>();
        for (String line : text.utf8().split("\n")) {
            int at = line.indexOf('=');
            if (at > 0) {
                fields.put(line.substring(0, at), line.substring(at + 1));
            }
        }
        if (!FORMAT.equals(fields.get("format")) || !named.key().toString().equals(fields.get("replica"))) {
            return named;
        }
        return new TrashEntry(
                named.id(),
                fields.getOrDefault("table", ""),
                named.key(),
                number(fields, "epoch"),
                number(fields, "last-index"),
                number(fields, "bytes"),
                named.trashedMs(),
                named.keptUntilMs(),
                fields.getOrDefault("reason", ""));
    }

    private static long number(TreeMap<String, String> fields, String name) {
        String digits = fields.getOrDefault(name, "");
        return digits.matches("\\d{1,18}") ? Long.parseLong(digits) : 0;
    }
}
