package io.uniserve.protocol.backup.format;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.model.BackupName;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keys of backup manifests in durable storage: {@code archive/<hash of the name>/<id>/begun-<hash>} and {@code complete-<hash>}. They
 * contain no text of a user. A put of a manifest may take effect after the deletion of the backup. So an object {@code deleted} is stored
 * before the last manifest is deleted, and stays. The manifests beside it do not count.
 */
public final class ArchivePaths {
    public static final String ROOT = "archive/";
    private static final Pattern KEY =
            Pattern.compile("archive/([0-9a-f]{64})/([0-9a-f]{16})/(begun|complete)-([0-9a-f]{64})");

    private static final String DELETED = "deleted";
    private static final Pattern DELETED_KEY = Pattern.compile("archive/[0-9a-f]{64}/([0-9a-f]{16})/" + DELETED);

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

    /** Key of the object that says that the backup is deleted. */
    public static String deleted(BackupName name, String id) {
        return prefix(name) + id + "/" + DELETED;
    }

    /** The object itself. All servers store the same one. */
    public static Bytes deletedMark() {
        return Bytes.utf8(DELETED);
    }

    /** True for the key of an object that says that a backup is deleted. */
    public static boolean isDeletedMark(String key) {
        return DELETED_KEY.matcher(key).matches();
    }

    /** Ids of the deleted backups among these keys. */
    public static Set<String> deletedIds(List<String> keys) {
        TreeSet<String> ids = new TreeSet<>();
        for (String key : keys) {
            Matcher mark = DELETED_KEY.matcher(key);
            if (mark.matches()) {
                ids.add(mark.group(1));
            }
        }
        return ids;
    }

    /** The manifests among these keys, without those of deleted backups. */
    public static List<Stored> stored(List<String> keys) {
        Set<String> deleted = deletedIds(keys);
        List<Stored> found = all(keys);
        found.removeIf(one -> deleted.contains(one.id()));
        return found;
    }

    /** All manifests among these keys. */
    public static List<Stored> all(List<String> keys) {
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
