package io.uniserve.simulator.engine;

import io.uniserve.api.Actor;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.simulator.disk.SimDiskMedium;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Transfer of checkpoints between the engine, which uses real files, and the simulated disk. */
final class SimCheckpointStore {
    /** Name of the file with the checksum of the checkpoint. It shows whether the checkpoint is complete, as in production. */
    private static final String SUM = "zz-sum";

    private final SimDiskMedium simulatedDisk;
    private final Path scratch;
    private final Map<String, Long> indexes = new TreeMap<>();
    private int next;

    SimCheckpointStore(SimDiskMedium simulatedDisk, Path scratch) {
        this.simulatedDisk = simulatedDisk;
        this.scratch = scratch;
    }

    Path scratch() {
        return scratch;
    }

    /** The log index of a checkpoint of this start; 0 for a checkpoint of another start or of a backup. */
    long index(String checkpointPath) {
        return indexes.getOrDefault(checkpointPath, 0L);
    }

    void save(Actor actor, String checkpointPath, long index) {
        Path directory = fresh();
        try {
            actor.writeTo(directory);
            CRC32C crc = new CRC32C();
            for (Path file : sorted(directory)) {
                Bytes content = Bytes.wrap(Files.readAllBytes(file));
                String name = directory.relativize(file).toString().replace('\\', '/');
                add(crc, name, content);
                simulatedDisk.store(checkpointPath + "/" + name, content);
            }
            simulatedDisk.store(checkpointPath + "/" + SUM, Bytes.utf8(Long.toHexString(crc.getValue())));
            indexes.put(checkpointPath, index);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot carry checkpoint " + checkpointPath, e);
        } finally {
            discard(directory);
        }
    }

    Path load(String checkpointPath) {
        Path directory = fresh();
        try {
            CRC32C crc = new CRC32C();
            String sum = "";
            for (String path : simulatedDisk.under(checkpointPath)) {
                String name = path.substring(checkpointPath.length() + 1);
                Bytes content = simulatedDisk.content(path);
                if (name.equals(SUM)) {
                    sum = new String(content.toArray(), StandardCharsets.ISO_8859_1);
                    continue;
                }
                add(crc, name, content);
                Path target = directory.resolve(name);
                Files.createDirectories(target.toAbsolutePath().getParent());
                Files.write(target, content.toArray());
            }
            if (!sum.equals(Long.toHexString(crc.getValue()))) {
                discard(directory);
                throw new UniserveException(ErrorCode.CORRUPT, "checkpoint " + checkpointPath + " does not check");
            }
            return directory;
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot carry checkpoint " + checkpointPath, e);
        }
    }

    void discard(Path directory) {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot delete " + directory, e);
        }
    }

    private static void add(CRC32C crc, String name, Bytes content) {
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        crc.update(content.buffer());
    }

    private Path fresh() {
        try {
            Path directory = scratch.resolve("carry-" + next++);
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot make a directory in " + scratch, e);
        }
    }

    private static List<Path> sorted(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
