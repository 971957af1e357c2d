package io.uniserve.protocol.coordinator.table;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Allocator of table numbers. A new registry counts from 1, but durable storage may have tables of a cluster of the same name whose
 * registry was lost. Their numbers are never reused, because object names contain them.
 */
public final class TableIdAllocator {
    private final LeaderContext leader;
    private final StorageRequestClient storage;

    public TableIdAllocator(LeaderContext leader, StorageRequestClient storage) {
        this.leader = leader;
        this.storage = storage;
    }

    /** Number for the next table. Fails if the registry is new and durable storage cannot be read. */
    public void next(LongConsumer then, Consumer<UniserveException> failed) {
        long next = leader.catalog().cluster().nextTableId();
        if (next > 1) {
            then.accept(next);
            return;
        }
        definitions(
                (all, largest) -> then.accept(Math.max(
                                largest,
                                all.stream().mapToLong(TableMeta::tableId).max().orElse(0))
                        + 1),
                error -> {
                    if (error.code() == ErrorCode.UNSUPPORTED) {
                        then.accept(next);
                    } else {
                        failed.accept(new UniserveException(
                                ErrorCode.UNAVAILABLE,
                                "the first table of a cluster needs durable storage: " + error.reason(),
                                error));
                    }
                });
    }

    /** Definitions in durable storage of tables that this cluster does not have, the newest per name. */
    public void lostTables(Consumer<List<TableMeta>> then, Consumer<UniserveException> failed) {
        definitions(
                (all, largest) -> {
                    List<TableMeta> lost = new ArrayList<>();
                    for (TableMeta meta : all) {
                        boolean newest = all.stream()
                                .noneMatch(
                                        other -> other.name().equals(meta.name()) && other.tableId() > meta.tableId());
                        if (newest && leader.catalog().find(meta.tableId()) == null) {
                            lost.add(meta);
                        }
                    }
                    then.accept(lost);
                },
                failed);
    }

    /** @param then gets the definitions, and the largest table number in the name of any object */
    private void definitions(BiConsumer<List<TableMeta>, Long> then, Consumer<UniserveException> failed) {
        storage.send(new ArchiveRequest.Definitions(), PeerReply.Manifests.class, outcome -> {
            List<TableMeta> all = new ArrayList<>();
            try {
                if (outcome instanceof Outcome.Err<PeerReply.Manifests> err) {
                    throw err.error();
                }
                for (Bytes object : outcome.value().objects()) {
                    all.add(StoredTableDefinition.decode(object));
                }
            } catch (UniserveException e) {
                failed.accept(e);
                return;
            }
            then.accept(all, outcome.value().largestTableId());
        });
    }
}
