import java.io.File;
import java.util.Set;
import java.util.TreeSet;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Says of each file whether it is of the flavour named first (3a, ua1), and if not, which rules it breaks. */
public class CheckPdf {
    public static void main(String[] words) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        PDFAFlavour flavour = PDFAFlavour.byFlavourId(words[0]);
        int code = 0;
        for (int place = 1; place < words.length; place++) {
            try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(words[place]), flavour)) {
                PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false);
                ValidationResult result = validator.validate(parser);
                System.out.println((result.isCompliant() ? "PASS " : "FAIL ") + words[place] + " " + flavour);
                Set<String> broken = new TreeSet<>();
                for (TestAssertion item : result.getTestAssertions()) {
                    broken.add("  " + item.getRuleId() + " " + item.getMessage());
                }
                broken.forEach(System.out::println);
                code = result.isCompliant() ? code : 1;
            }
        }
        System.exit(code);
    }
}
