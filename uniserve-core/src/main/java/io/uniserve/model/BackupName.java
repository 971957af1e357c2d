package io.uniserve.model;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/**
 * Name of a backup: a letter or digit, then letters, digits, {@code .}, {@code _} or {@code -}; at most 128 characters. Never part of a
 * file path.
 */
public record BackupName(String value) implements Comparable<BackupName> {
    public BackupName {
        if (value.length() > Limits.BACKUP_NAME_CHARS_MAX || !value.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
            throw UniserveException.invalid("backup name " + TableName.quote(value)
                    + ": use a letter or digit, then letters, digits, ., _ or -, at most "
                    + Limits.BACKUP_NAME_CHARS_MAX + " characters");
        }
    }

    @Override
    public int compareTo(BackupName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
