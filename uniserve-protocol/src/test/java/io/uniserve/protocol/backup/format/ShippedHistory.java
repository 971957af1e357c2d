package io.uniserve.protocol.backup.format;

import io.uniserve.model.Partitioner;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.backup.format.ShippedVersions.Commit;
import io.uniserve.protocol.message.VersionParticipants;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A random history of an atomic TIME table: versions with rows in random chunks, chunks that expire, logs that are shipped in part, and
 * checkpoints by the rule for them. At the end some servers are lost with all that was not shipped. The history knows all versions.
 */
final class ShippedHistory {
    static final Partitioner.Time TIME = new Partitioner.Time(
            "time",
            new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC),
            2,
            Optional.empty(),
            IsoPeriod.parse("ahead", "P1D"));

    private static final int CHUNKS = 5;
    private static final ServerId MANAGER = new ServerId("m");

    private final SplittableRandom random;
    private final TreeMap<Long, List<Integer>> participants = new TreeMap<>();
    private final TreeMap<Integer, List<Commit>> logs = new TreeMap<>();
    /** Number of versions of each actor that storage certainly has. */
    private final TreeMap<Integer, Integer> shipped = new TreeMap<>();
    /** Number of versions of each actor in its checkpoint in storage. */
    private final TreeMap<Integer, Integer> checkpoints = new TreeMap<>();

    private final TreeMap<Integer, ShippedVersions> stored = new TreeMap<>();
    private TransactionLogState log = TransactionLogState.empty(1);
    private int watermark = 10;
    private int expiredBefore;

    ShippedHistory(int seed) {
        random = new SplittableRandom(seed);
        int steps = random.nextInt(1, 40);
        int checkpointsPerHundred = random.nextInt(3) * 5;
        int expiriesPerHundred = random.nextInt(4) * 7;
        for (int step = 0; step < steps; step++) {
            if (random.nextInt(100) < expiriesPerHundred) {
                expire();
            }
            update();
            if (random.nextInt(100) < checkpointsPerHundred) {
                checkpoint();
            }
        }
        lose();
    }

    private void update() {
        TreeSet<Integer> actors = new TreeSet<>();
        int first = TIME.firstActor(watermark + random.nextInt(CHUNKS));
        for (int left = random.nextInt(1, 4); left > 0; left--) {
            actors.add(random.nextInt(3) == 0 ? anyLive() : first + random.nextInt(TIME.buckets()));
        }
        int known = Math.max(0, watermark - random.nextInt(2)); // the manager's map may be older
        long previous = log.committedVersion();
        VersionParticipants named = VersionParticipants.named(
                List.copyOf(actors), log.chunkVersions().withoutChunksBefore(known));
        TransactionLogState started = TransactionLogTransitions.begin(
                log, MANAGER, List.copyOf(actors), List.of(new Batch(new RequestId(1, 1, log.nextVersion()), "")), 1);
        if (random.nextInt(8) == 0) {
            log = TransactionLogTransitions.abort(started, List.of(), "");
            return;
        }
        log = TransactionLogTransitions.commit(started, TIME, watermark);
        participants.put(log.committedVersion(), List.copyOf(actors));
        for (int actor : actors) {
            logs.computeIfAbsent(actor, any -> new ArrayList<>())
                    .add(new Commit(log.committedVersion(), previous, named));
        }
    }

    private int anyLive() {
        return TIME.firstActor(watermark) + random.nextInt(CHUNKS * TIME.buckets());
    }

    private void expire() {
        watermark += random.nextInt(1, 3);
        logs.headMap(TIME.firstActor(watermark)).forEach((actor, all) -> shipped.put(actor, all.size()));
    }

    /** One actor stores a checkpoint, after all others have shipped. */
    private void checkpoint() {
        Map<Integer, List<Commit>> live = logs.tailMap(TIME.firstActor(watermark));
        if (!live.isEmpty()) {
            live.forEach((actor, all) -> shipped.put(actor, all.size()));
            int chosen = List.copyOf(live.keySet()).get(random.nextInt(live.size()));
            checkpoints.put(chosen, shipped.getOrDefault(chosen, 0));
        }
    }

    /** Leaves what storage has of each actor, as the restoration finds it. */
    private void lose() {
        int mode = random.nextInt(3);
        expiredBefore = switch (mode) {
            case 0 -> watermark; // the map
            case 1 -> watermark + random.nextInt(3); // a clock that is later than that of the last leader
            default -> watermark - random.nextInt(3); // a slow clock, before any object is deleted
        };
        int lossPerHundred = random.nextInt(3) * 20;
        logs.forEach((actor, all) -> {
            int kept = shipped.getOrDefault(actor, 0);
            boolean loses = random.nextInt(100) < lossPerHundred;
            stored.put(actor, told(actor, all, loses ? random.nextInt(kept, all.size() + 1) : all.size()));
        });
        for (ShippedVersions one : stored.values()) {
            expiredBefore = Math.max(expiredBefore, one.expiredBefore());
        }
        stored.headMap(TIME.firstActor(expiredBefore)).clear();
    }

    private ShippedVersions told(int actor, List<Commit> all, int size) {
        int covered = checkpoints.getOrDefault(actor, 0);
        long checkpoint = covered == 0 ? 0 : all.get(covered - 1).version();
        List<Commit> after = new ArrayList<>();
        for (Commit commit : all.subList(covered, size)) {
            after.add(commit.following(
                    after.isEmpty() ? 0 : after.get(after.size() - 1).version()));
        }
        long newest = size == 0 ? 0 : all.get(size - 1).version();
        return new ShippedVersions(1 + 2L * size, newest, checkpoint, after);
    }

    Map<Integer, ShippedVersions> stored() {
        return stored;
    }

    int expiredBefore() {
        return expiredBefore;
    }

    long committed() {
        return log.committedVersion();
    }

    private boolean isLive(int actor) {
        return TIME.ordinalOf(actor) >= expiredBefore;
    }

    private boolean hasInStorage(int actor, long version) {
        ShippedVersions one = stored.get(actor);
        return one != null
                && (version <= one.covered()
                        || one.committed().stream().anyMatch(commit -> commit.version() == version));
    }

    /** The largest committed version such that no live participant of it or of an earlier one lacks its part in storage. */
    long newestComplete() {
        long newest = 0;
        for (Map.Entry<Long, List<Integer>> version : participants.entrySet()) {
            if (version.getValue().stream()
                    .anyMatch(actor -> isLive(actor) && !hasInStorage(actor, version.getKey()))) {
                return newest;
            }
            newest = version.getKey();
        }
        return newest;
    }

    /** The newest version up to this one with rows in a live chunk, 0 for none. */
    long newestWithLiveRows(long version) {
        long newest = 0;
        for (Map.Entry<Long, List<Integer>> one :
                participants.headMap(version, true).entrySet()) {
            newest = one.getValue().stream().anyMatch(this::isLive) ? one.getKey() : newest;
        }
        return newest;
    }

    /** True if a version before this one has rows in expired chunks only. */
    boolean hasMissingVersionOfExpiredChunks(long version) {
        return participants.headMap(version, false).values().stream()
                .anyMatch(actors -> actors.stream().noneMatch(this::isLive));
    }
}
