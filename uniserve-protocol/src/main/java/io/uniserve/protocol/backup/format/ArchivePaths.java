package io.uniserve.protocol.backup.format;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.model.BackupName;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keys of backup manifests in durable storage: {@code archive/<hash of the name>/<id>/begun-<hash>} and {@code complete-<hash>}. They
 * contain no text of a user.
 */
public final class ArchivePaths {
    public static final String ROOT = "archive/";
    private static final Pattern KEY =
            Pattern.compile("archive/([0-9a-f]{64})/([0-9a-f]{16})/(begun|complete)-([0-9a-f]{64})");

    private ArchivePaths() {}

    /** A manifest, parsed from its key. */
    public record Stored(String key, String nameHash, String id, boolean complete, String sha256) {}

    public static String prefix(BackupName name) {
        return ROOT + Sha256.hex(Bytes.utf8(name.value())) + "/";
    }

    public static String key(TableSnapshot backup, Bytes encoded) {
        return prefix(backup.name()) + backup.id() + "/" + (backup.isComplete() ? "complete-" : "begun-")
                + Sha256.hex(encoded);
    }

    /** The manifests among these keys. */
    public static List<Stored> stored(List<String> keys) {
        List<Stored> found = new ArrayList<>();
        for (String key : keys) {
            Matcher match = KEY.matcher(key);
            if (match.matches()) {
                found.add(new Stored(
                        key, match.group(1), match.group(2), match.group(3).equals("complete"), match.group(4)));
            }
        }
        return found;
    }
}
