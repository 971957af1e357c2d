package io.uniserve.port.solr;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.ContentDigest;
import io.uniserve.api.extra.ActorFileLinker;
import io.uniserve.api.extra.EngineTask;
import io.uniserve.api.extra.RevocableActor;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.lucene.SegmentInspector;
import io.uniserve.lucene.SmallFileCacheDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.LockFactory;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.StandardDirectoryFactory;
import org.apache.solr.request.LocalSolrQueryRequest;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.search.SolrIndexSearcher;
import org.apache.solr.update.CommitUpdateCommand;
import org.apache.solr.update.RollbackUpdateCommand;
import org.apache.solr.util.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * Actor of the Solr port: one core, by its name. Operators see the newest commit, or the one whose searcher this object holds. Searchers
 * are reference-counted.
 */
public final class SolrActor implements RevocableActor<SolrActor> {
    private final CoreContainer container;
    private final String core;
    final ActorContext context;
    final @Nullable RefCounted<SolrIndexSearcher> pinnedSearcher;
    /** Keys (uniqueKey) of documents that changed since the last publish. */
    final Set<String> changed = ConcurrentHashMap.newKeySet();

    SolrActor(CoreContainer container, String core, ActorContext home, @Nullable RefCounted<SolrIndexSearcher> held) {
        this.pinnedSearcher = held;
        this.container = container;
        this.core = core;
        this.context = home;
    }

    @Override
    public SolrActor snapshot() {
        return new SolrActor(
                container,
                core,
                context,
                withRequest("hold", request -> request.getCore().getSearcher()));
    }

    /** Runs work with a request, which has core, schema and searcher. The core stays open meanwhile. */
    <T> T withRequest(String what, EngineTask<SolrQueryRequest, T> work) {
        return SolrErrorMapper.SOLR.call(what, () -> {
            try (var open = container.getCore(core)) {
                if (open == null) {
                    throw new UniserveException(ErrorCode.UNAVAILABLE, "the actor is closed; try another replica");
                }
                try (SolrQueryRequest request = new LocalSolrQueryRequest(open, new ModifiableSolrParams()) {
                    @Override
                    public SolrIndexSearcher getSearcher() {
                        return pinnedSearcher == null ? super.getSearcher() : pinnedSearcher.get();
                    }
                }) {
                    return work.run(request);
                }
            }
        });
    }

    @Override
    public void publish() {
        commit(false);
        changed.clear();
    }

    @Override
    public void stage() {
        commit(true);
    }

    /** Commits. A prepared commit has written its files, so it only makes them current. */
    private void commit(boolean prepare) {
        if (!changed.isEmpty()) {
            withRequest("commit", request -> {
                CommitUpdateCommand command = new CommitUpdateCommand(request, false);
                command.prepareCommit = prepare;
                request.getCore().getUpdateHandler().commit(command);
                return request;
            });
        }
    }

    @Override
    public void revoke() {
        if (!changed.isEmpty()) {
            withRequest("roll back", request -> {
                request.getCore().getUpdateHandler().rollback(new RollbackUpdateCommand(request));
                return readUncommitted(request);
            });
            changed.clear();
        }
    }

    /** Opens a searcher, so that later changes of documents find their current state in the index, even if it is not published. */
    static boolean readUncommitted(SolrQueryRequest request) {
        request.getCore().openNewSearcher(true, true).decref();
        return true;
    }

    @Override
    public ActorUsage usage() {
        return withRequest("measure", request -> {
            var index = request.getSearcher().getIndexReader();
            var open = request.getCore();
            long bytes = open.getIndexSize();
            return pinnedSearcher == null
                    ? new ActorUsage(index.numDocs(), bytes, bytes)
                    : open.withSearcher(now -> ActorUsage.ofView(
                            index.numDocs(),
                            bytes,
                            SegmentInspector.sizes(index),
                            SegmentInspector.sizes(now.getIndexReader())));
        });
    }

    @Override
    public void writeTo(Path directory) {
        withRequest("write a checkpoint", request -> {
            var open = request.getCore();
            var commit = open.getDeletionPolicy().getAndSaveLatestCommit();
            try {
                return ActorFileLinker.link(
                        Path.of(open.getIndexDir()), SmallFileCacheDirectory.written(commit), directory);
            } finally {
                open.getDeletionPolicy().releaseCommitPoint(commit);
            }
        });
    }

    @Override
    public byte[] digest() {
        return withRequest("compute the digest", request -> {
            ContentDigest digest = new ContentDigest();
            SegmentInspector.documents(request.getSearcher().getIndexReader(), row -> digest.add(row.toString()));
            return digest.toBytes();
        });
    }

    @Override
    public void destroy() {
        close();
        SolrErrorMapper.SOLR.call("delete an actor", () -> ActorFileLinker.delete(context.scratch()));
    }

    @Override
    public void close() {
        if (pinnedSearcher != null) {
            pinnedSearcher.decref();
        } else if (container.isLoaded(core)) {
            container.unload(core, false, false, false);
        }
    }

    /**
     * Directory factory whose commits do not wait for the disk: the host syncs the files that it keeps. Named in {@code solrconfig.xml}.
     */
    public static final class ScratchDirectories extends StandardDirectoryFactory {
        @Override
        protected Directory create(String path, LockFactory lockFactory, DirContext context) throws IOException {
            return new SmallFileCacheDirectory(super.create(path, lockFactory, context));
        }
    }
}
