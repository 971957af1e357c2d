package io.uniserve.port.solr;

import io.uniserve.api.ActorFiles;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.ContentDigest;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import org.apache.lucene.codecs.CodecUtil;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.apache.solr.core.StandardDirectoryFactory;

/** A Lucene index, past Solr. Lucene never changes a file once written, so links do where copies would. */
final class IndexFiles {
    private IndexFiles() {}

    /**
     * Directories whose commits do not wait for the disk: an actor's live files are deleted at every start, and the host
     * syncs what it keeps, a checkpoint's links to the same files. Named in {@code solrconfig.xml}.
     */
    public static final class ScratchDirectories extends StandardDirectoryFactory {
        @Override
        protected Directory create(String path, LockFactory lockFactory, DirContext context) throws IOException {
            return new FilterDirectory(super.create(path, lockFactory, context)) {
                @Override
                public void sync(Collection<String> names) {
                    // See the class: nothing is lost that the log does not have.
                }

                @Override
                public void syncMetaData() {
                    // As above.
                }
            };
        }
    }

    /** Checks a checkpoint, every byte of every file of its newest commit, and links it to where a core will open it. */
    static void restore(Path checkpoint, Path index) {
        SolrEngine.SOLR.translated(
                "restore files to " + index,
                () -> ActorFiles.link(checkpoint, verified(checkpoint), Files.createDirectories(index)));
    }

    private static Collection<String> verified(Path checkpoint) {
        try (Directory directory = FSDirectory.open(checkpoint, NoLockFactory.INSTANCE)) {
            Collection<String> names = SegmentInfos.readLatestCommit(directory).files(true);
            for (String name : names) {
                try (IndexInput in = directory.openInput(name, IOContext.READONCE)) {
                    CodecUtil.checksumEntireFile(in);
                }
            }
            return names;
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            String message = "index files in " + checkpoint + " are damaged: " + Printable.line(e.getMessage());
            throw new UniserveException(ErrorCode.CORRUPT, message, e);
        }
    }

    /** The index is read through the page cache, so it wants as much memory as disk. */
    static ActorUsage usage(IndexSearcher searcher) throws IOException {
        DirectoryReader reader = (DirectoryReader) searcher.getIndexReader();
        long bytes = 0;
        for (String name : reader.getIndexCommit().getFileNames()) {
            bytes += reader.directory().fileLength(name);
        }
        return new ActorUsage(reader.numDocs(), bytes, bytes);
    }

    /** Over every live document's stored fields; the order of documents and segments does not matter. */
    static byte[] digest(IndexSearcher searcher) throws IOException {
        ContentDigest digest = new ContentDigest();
        for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
            Bits live = leaf.reader().getLiveDocs();
            for (int i = 0; i < leaf.reader().maxDoc(); i++) {
                if (live == null || live.get(i)) {
                    digest.add(text(leaf.reader().storedFields().document(i)).getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        return digest.toBytes();
    }

    private static String text(Document document) {
        StringBuilder text = new StringBuilder();
        for (IndexableField field : document) {
            BytesRef binary = field.binaryValue();
            String value = binary == null ? field.stringValue() : binary.utf8ToString();
            text.append(field.name() + ":" + value.length() + ":" + value);
        }
        return text.toString();
    }
}
