package io.uniserve.cli.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.BackupInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Backups that are missing, exist already, have invalid names or are damaged: neither the tables nor durable storage change. */
@ExtendWith(BadInputCluster.Shared.class)
class BackupsIT {
    private final BadInputCluster bad;

    BackupsIT(BadInputCluster bad) {
        this.bad = bad;
    }

    private List<String> archive() {
        return objects("archive").stream().map(Path::toString).toList();
    }

    private List<Path> objects(String under) {
        Path root = bad.store.resolve(under);
        if (!Files.exists(root)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(String name) {
        assertThat(bad.run(List.of("backup", "words", "--name", name)).out())
                .contains("backup " + name + " of table words is complete");
    }

    @Test
    void namesThatAreNotThereOrTaken() {
        take("first");
        List<String> before = archive();
        bad.refused(ErrorCode.BACKUP_EXISTS, List.of("backup", "words", "--name", "first"), "first", "delete it first");
        bad.refused(ErrorCode.TABLE_NOT_FOUND, List.of("backup", "nothing"), "nothing");
        bad.refused(ErrorCode.BACKUP_NOT_FOUND, List.of("backup", "--verify", "absent"), "absent");
        bad.refused(ErrorCode.BACKUP_NOT_FOUND, List.of("backup", "--delete", "absent"), "absent");
        bad.refused(ErrorCode.BACKUP_NOT_FOUND, List.of("restore", "absent", "--as", "made"), "absent");
        bad.refused(ErrorCode.TABLE_EXISTS, List.of("restore", "first", "--as", "numbers"), "numbers");
        bad.refused(ErrorCode.INVALID_ARGUMENT, List.of("restore", "first", "--as", "9lives"), "table name");
        assertThat(archive()).isEqualTo(before);
        assertThat(bad.run(List.of("backup", "--delete", "first")).exit()).isZero();
    }

    @Test
    void badNames() {
        List<String> before = archive();
        for (String name : List.of("", "../up", "a/b", "a b", ".hidden", "x".repeat(129), "sch\u00f6n")) {
            bad.refused(ErrorCode.INVALID_ARGUMENT, List.of("backup", "words", "--name", name), "backup name");
            bad.refused(ErrorCode.INVALID_ARGUMENT, List.of("backup", "--delete", name), "backup name");
            bad.refused(ErrorCode.INVALID_ARGUMENT, List.of("restore", name, "--as", "made"), "backup name");
        }
        assertThat(archive()).isEqualTo(before);
    }

    @Test
    void damagedManifest() throws IOException {
        take("damaged");
        String id = bad.client.admin().listBackups().stream()
                .filter(info -> info.name().equals("damaged"))
                .map(BackupInfo::id)
                .findFirst()
                .orElseThrow();
        Path manifest = objects("archive").stream()
                .filter(file -> file.toString().contains(id) && file.toString().contains("complete-"))
                .findFirst()
                .orElseThrow();
        byte[] bytes = Files.readAllBytes(manifest);
        bytes[bytes.length - 1] ^= 1;
        Files.write(manifest, bytes);
        bad.refused(ErrorCode.CORRUPT, List.of("restore", "damaged", "--as", "made"), "damaged");
        bad.refused(ErrorCode.CORRUPT, List.of("backup", "--verify", "damaged"), "damaged");
        bad.refused(ErrorCode.BACKUP_EXISTS, List.of("backup", "words", "--name", "damaged"), "damaged");
        assertThat(bad.run(List.of("backup", "--list")).out()).containsPattern("damaged +words +4 +damaged");
        assertThat(bad.run(List.of("backup", "--delete", "damaged")).exit()).isZero();
        assertThat(archive())
                .filteredOn(file -> file.contains(id))
                .singleElement()
                .asString()
                .endsWith("/deleted~");
    }

    @Test
    void missingPart() throws IOException {
        take("missing");
        String id = bad.client.admin().listBackups().stream()
                .filter(info -> info.name().equals("missing"))
                .map(BackupInfo::id)
                .findFirst()
                .orElseThrow();
        for (Path pin : objects("backup")) {
            if (pin.toString().contains("/pin/" + id)) {
                Files.delete(pin);
            }
        }
        bad.refused(ErrorCode.IO, List.of("backup", "--verify", "missing"), "missing", "actor", "absent");
        bad.refused(ErrorCode.IO, List.of("restore", "missing", "--as", "made"), "missing", "actor", "absent");
        assertThat(bad.run(List.of("backup", "--delete", "missing")).exit()).isZero();
    }
}
