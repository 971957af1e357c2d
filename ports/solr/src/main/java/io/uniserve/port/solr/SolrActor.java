package io.uniserve.port.solr;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorFiles;
import io.uniserve.api.ActorUsage;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import org.apache.lucene.index.IndexCommit;
import org.apache.lucene.util.IOUtils;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.IndexDeletionPolicyWrapper;
import org.apache.solr.core.SolrCore;
import org.apache.solr.request.LocalSolrQueryRequest;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.update.CommitUpdateCommand;

/** One core, by its name. Operators see the newest commit; the searcher they use is counted and outlives it. */
public final class SolrActor implements Actor {
    private final CoreContainer container;
    private final String core;
    private final Path scratch;
    private volatile boolean dirty;

    SolrActor(CoreContainer container, String core, Path scratch) {
        this.container = container;
        this.core = core;
        this.scratch = scratch;
    }

    /** Something asked of, or done to, an open core; the request knows core, schema and searcher. */
    interface CoreWork<T> {
        T run(SolrQueryRequest request) throws Exception;
    }

    /** Runs the work; the core stays open meanwhile. */
    <T> T with(String what, CoreWork<T> work) {
        return SolrEngine.SOLR.translated(what, () -> {
            try (SolrCore open = container.getCore(core)) {
                if (open == null) {
                    throw new UniserveException(ErrorCode.UNAVAILABLE, "the actor is closed; try another replica");
                }
                try (SolrQueryRequest request = new LocalSolrQueryRequest(open, new ModifiableSolrParams())) {
                    return work.run(request);
                }
            }
        });
    }

    /** As {@link #with}, for updates: the next publish has something to commit. */
    <T> void update(CoreWork<T> work) {
        dirty = true;
        with("update documents", work);
    }

    @Override
    public void publish() {
        if (dirty) {
            with("commit", request -> {
                request.getCore().getUpdateHandler().commit(new CommitUpdateCommand(request, false));
                return request;
            });
            dirty = false;
        }
    }

    @Override
    public ActorUsage usage() {
        return with("measure", request -> IndexFiles.usage(request.getSearcher()));
    }

    @Override
    public void writeTo(Path directory) {
        with("write a checkpoint", request -> {
            IndexDeletionPolicyWrapper policy = request.getCore().getDeletionPolicy();
            IndexCommit commit = policy.getAndSaveLatestCommit();
            try {
                return ActorFiles.link(Path.of(request.getCore().getIndexDir()), commit.getFileNames(), directory);
            } finally {
                policy.releaseCommitPoint(commit);
            }
        });
    }

    @Override
    public byte[] digest() {
        return with("compute the digest", request -> IndexFiles.digest(request.getSearcher()));
    }

    @Override
    public void destroy() {
        close();
        SolrEngine.SOLR.translated("delete " + scratch, () -> {
            IOUtils.rm(scratch);
            return scratch;
        });
    }

    @Override
    public void close() {
        if (container.isLoaded(core)) {
            container.unload(core, false, false, false);
        }
    }
}
