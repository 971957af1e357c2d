package io.uniserve.port.solr;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Collection;
import org.apache.lucene.codecs.CodecUtil;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/** A Lucene index, past Solr. Lucene never changes a file once written, so links do where copies would. */
final class IndexFiles {
    private IndexFiles() {}

    /** Links the named files; copies those that cannot be linked, as across file systems. */
    static void link(Path from, Collection<String> names, Path to) throws IOException {
        for (String name : names) {
            try {
                Files.createLink(to.resolve(name), from.resolve(name));
            } catch (FileSystemException | UnsupportedOperationException e) {
                Files.copy(from.resolve(name), to.resolve(name));
            }
        }
    }

    /** Checks a checkpoint, every byte of every file of its newest commit, and links it to where a core will open it. */
    static void restore(Path checkpoint, Path index) {
        Collection<String> names = verified(checkpoint);
        SolrFailure.translated("restore files to " + index, () -> {
            link(checkpoint, names, Files.createDirectories(index));
            return names;
        });
    }

    private static Collection<String> verified(Path checkpoint) {
        try (Directory directory = FSDirectory.open(checkpoint, NoLockFactory.INSTANCE)) {
            Collection<String> names = SegmentInfos.readLatestCommit(directory).files(true);
            for (String name : names) {
                try (ChecksumIndexInput in = directory.openChecksumInput(name, IOContext.READONCE)) {
                    in.seek(in.length() - CodecUtil.footerLength());
                    CodecUtil.checkFooter(in);
                }
            }
            return names;
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    "index files in " + checkpoint + " are damaged: " + SolrFailure.printable(e.getMessage()),
                    e);
        }
    }

    /** Sum of the SHA-256 of every live document's stored fields: the order of documents and segments does not matter. */
    static byte[] digest(IndexSearcher searcher) throws IOException {
        MessageDigest sha = SolrFailure.translated("hash", () -> MessageDigest.getInstance("SHA-256"));
        BigInteger sum = BigInteger.valueOf(searcher.getIndexReader().numDocs());
        for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
            Bits live = leaf.reader().getLiveDocs();
            for (int i = 0; i < leaf.reader().maxDoc(); i++) {
                if (live == null || live.get(i)) {
                    String text = text(leaf.reader().storedFields().document(i));
                    sum = sum.add(new BigInteger(1, sha.digest(text.getBytes(StandardCharsets.UTF_8))));
                }
            }
        }
        return sha.digest(sum.toByteArray());
    }

    private static String text(Document document) {
        StringBuilder text = new StringBuilder();
        for (IndexableField field : document) {
            BytesRef binary = field.binaryValue();
            String value = binary == null ? field.stringValue() : binary.utf8ToString();
            text.append(field.name())
                    .append(':')
                    .append(value.length())
                    .append(':')
                    .append(value);
        }
        return text.toString();
    }
}
