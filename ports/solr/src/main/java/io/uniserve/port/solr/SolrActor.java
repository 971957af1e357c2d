package io.uniserve.port.solr;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorUsage;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.lucene.index.IndexCommit;
import org.apache.lucene.util.IOUtils;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.core.IndexDeletionPolicyWrapper;
import org.apache.solr.core.SolrCore;
import org.apache.solr.request.SolrQueryRequestBase;
import org.apache.solr.update.CommitUpdateCommand;

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

    /** Something asked of, or done to, an open core. */
    interface CoreWork<T> {
        T run(SolrCore core) throws Exception;
    }

    /** Runs the work; the core stays open meanwhile. */
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
    <T> void update(CoreWork<T> work) {
        dirty = true;
        with("update documents", work);
    }

    @Override
    public void publish() {
        if (dirty) {
            with("commit", solr -> {
                try (SolrQueryRequestBase request = new SolrQueryRequestBase(solr, new ModifiableSolrParams()) {}) {
                    solr.getUpdateHandler().commit(new CommitUpdateCommand(request, false));
                }
                return solr;
            });
            dirty = false;
        }
    }

    /** The index is read through the page cache, so it wants as much memory as disk. */
    @Override
    public ActorUsage usage() {
        return with(
                "measure",
                solr -> solr.withSearcher(searcher -> {
                    long bytes = 0;
                    for (String name :
                            searcher.getIndexReader().getIndexCommit().getFileNames()) {
                        bytes += searcher.getIndexReader().directory().fileLength(name);
                    }
                    return new ActorUsage(searcher.getIndexReader().numDocs(), bytes, bytes);
                }));
    }

    @Override
    public void writeTo(Path directory) {
        with("write a checkpoint", solr -> {
            IndexDeletionPolicyWrapper policy = solr.getDeletionPolicy();
            IndexCommit commit = policy.getAndSaveLatestCommit();
            try {
                IndexFiles.link(Path.of(solr.getIndexDir()), commit.getFileNames(), directory);
            } finally {
                policy.releaseCommitPoint(commit);
            }
            return directory;
        });
    }

    @Override
    public byte[] digest() {
        return with("compute the digest", solr -> solr.withSearcher(IndexFiles::digest));
    }

    @Override
    public void destroy() {
        close();
        SolrFailure.translated("delete " + scratch, () -> {
            IOUtils.rm(scratch);
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
}
