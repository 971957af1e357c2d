package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.testkit.solr.DebianPackageCorpus;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** English very short texts: descriptions of Debian packages, if apt has lists of them. */
class PackagesParityTest extends Parity {
    PackagesParityTest() {
        super(documents());
    }

    private static List<Document> documents() {
        List<Document> documents = DebianPackageCorpus.documents(DOCUMENTS);
        Assumptions.assumeFalse(documents.isEmpty(), "apt has no lists of packages, which apt-get update fetches");
        return documents;
    }
}
