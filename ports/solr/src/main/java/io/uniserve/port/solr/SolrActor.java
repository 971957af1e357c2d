package io.uniserve.port.solr;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorUsage;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.lucene.index.IndexCommit;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.store.Directory;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.core.IndexDeletionPolicyWrapper;
import org.apache.solr.core.SolrCore;
import org.apache.solr.request.SolrQueryRequestBase;
import org.apache.solr.update.CommitUpdateCommand;
import org.apache.solr.util.RefCounted;

/** One core. Operators see the newest commit; the searcher they use is counted and outlives it. */
public final class SolrActor implements Actor {
    private final SolrCore core;
    private final Path scratch;
    private final Consumer<SolrActor> onClose;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean dirty;

    SolrActor(SolrCore core, Path scratch, Consumer<SolrActor> onClose) {
        this.core = core;
        this.scratch = scratch;
        this.onClose = onClose;
    }

    /** Runs work that reads or updates the core, which stays open meanwhile. */
    <T> T with(String what, CoreWork<T> work) {
        if (closed.get()) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "the actor is closed; try another replica");
        }
        core.open();
        try {
            return SolrFailure.translated(what, () -> work.run(core));
        } finally {
            core.close();
        }
    }

    /** As {@link #with}, for updates: the next publish has something to commit. */
    void update(CoreStep step) {
        dirty = true;
        step("update documents", step);
    }

    private void step(String what, CoreStep step) {
        with(what, solr -> {
            step.run(solr);
            return solr;
        });
    }

    @Override
    public void publish() {
        if (!dirty) {
            return;
        }
        step("commit", solr -> {
            try (SolrQueryRequestBase request = new SolrQueryRequestBase(solr, new ModifiableSolrParams()) {}) {
                CommitUpdateCommand commit = new CommitUpdateCommand(request, false);
                commit.openSearcher = true;
                commit.waitSearcher = true;
                solr.getUpdateHandler().commit(commit);
            }
            dirty = false;
        });
    }

    @Override
    public ActorUsage usage() {
        return with("measure", solr -> {
            long rows = solr.withSearcher(
                    searcher -> (long) searcher.getIndexReader().numDocs());
            return new ActorUsage(rows, bufferBytes(solr), indexBytes(solr));
        });
    }

    private static long bufferBytes(SolrCore solr) throws Exception {
        RefCounted<IndexWriter> writer = solr.getSolrCoreState().getIndexWriter(solr);
        try {
            return writer.get().ramBytesUsed();
        } finally {
            writer.decref();
        }
    }

    private static long indexBytes(SolrCore solr) throws Exception {
        return solr.withSearcher(searcher -> {
            Directory directory = searcher.getIndexReader().directory();
            long bytes = 0;
            for (String name : searcher.getIndexReader().getIndexCommit().getFileNames()) {
                bytes += directory.fileLength(name);
            }
            return bytes;
        });
    }

    @Override
    public void writeTo(Path directory) {
        step("write a checkpoint", solr -> {
            IndexDeletionPolicyWrapper policy = solr.getDeletionPolicy();
            IndexCommit commit = policy.getAndSaveLatestCommit();
            if (commit == null) {
                throw new UniserveException(ErrorCode.PORT_FAILED, "the core has no commit to write");
            }
            try {
                IndexFiles.link(Path.of(solr.getIndexDir()), commit.getFileNames(), directory);
            } finally {
                policy.releaseCommitPoint(commit);
            }
        });
    }

    @Override
    public byte[] digest() {
        return with("compute the digest", solr -> solr.withSearcher(ContentDigest::of));
    }

    @Override
    public void destroy() {
        close();
        SolrFailure.translated("delete " + scratch, () -> {
            IndexFiles.delete(scratch);
            return scratch;
        });
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            core.getCoreContainer().unload(core.getName(), false, false, false);
            onClose.accept(this);
        }
    }

    /** Something done to an open core. */
    @FunctionalInterface
    interface CoreStep {
        void run(SolrCore core) throws Exception;
    }

    /** Something asked of an open core. */
    @FunctionalInterface
    interface CoreWork<T> {
        T run(SolrCore core) throws Exception;
    }
}
