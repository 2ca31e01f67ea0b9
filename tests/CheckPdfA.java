import java.io.File;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Says of each file whether it is PDF/A-3b, and if not, which rules it breaks. Exit code 1 if one is not. */
public class CheckPdfA {
    public static void main(String[] names) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        PDFAFlavour flavour = PDFAFlavour.PDFA_3_B;
        int code = 0;
        for (String name : names) {
            try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(name), flavour)) {
                PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false);
                ValidationResult result = validator.validate(parser);
                System.out.println((result.isCompliant() ? "PASS " : "FAIL ") + name);
                if (!result.isCompliant()) {
                    code = 1;
                    for (TestAssertion item : result.getTestAssertions()) {
                        System.out.println("  " + item.getRuleId() + " " + item.getMessage());
                    }
                }
            }
        }
        System.exit(code);
    }
}
